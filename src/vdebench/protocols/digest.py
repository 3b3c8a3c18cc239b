"""Digest of a protocol: covers every field, including the code of functions."""

from __future__ import annotations

import copyreg
import functools
import hashlib
import sys
import types
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

from vdebench.metrics.registry import VERSIONS

DIGITS = 12
"""Hexadecimal digits of a digest in a signature."""
_MAX_DEPTH = 60
"""Maximum depth of nested values and called functions; deeper ones are described by name."""
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def digest(value: object) -> str:
    """Return the digest of a value and its content, the same in every process.

    >>> digest({"iou_counts": "truth"}) == digest({"iou_counts": "all"})
    False
    """
    return hashlib.sha256(describe(value).encode("utf-8", "surrogatepass")).hexdigest()


def describe(value: object) -> str:
    """Return a description that differs if two values compute different results.

    A function with a version (`metrics.registry.versioned`) is described by name and version. Any other function is
    described by a digest of its code, defaults, closure, and the functions, classes and constants of its package that
    it uses. Objects of other packages are described by name and package version.

    >>> from vdebench.metrics.text import character_similarity
    >>> describe((character_similarity, 0.5, None))
    '[cdm-1, 0.5, None]'
    """
    return _Description().of(value)


class _Description:
    """Describes one value; repeated functions and classes only once."""

    def __init__(self) -> None:
        self._descriptions: dict[int, str] = {}
        self._alive: list[object] = []
        self._depth = 0

    def of(self, value: Any) -> str:
        if isinstance(value, str | bytes | int | float | complex | None | types.EllipsisType):
            return repr(value)
        if id(value) in self._descriptions:
            return self._descriptions[id(value)]
        name = getattr(value, "__qualname__", type(value).__qualname__)
        if self._depth > _MAX_DEPTH:
            return f"({name})"
        self._descriptions[id(value)] = f"(again {name})"  # functions may be mutually recursive
        self._alive.append(value)  # keep the object, so that its id is not reused
        self._depth += 1
        try:
            self._descriptions[id(value)] = description = self._of(value)
        finally:
            self._depth -= 1
        return description

    def _of(self, value: Any) -> str:
        if isinstance(value, types.FunctionType):
            return VERSIONS.get(value) or f"{value.__module__}.{value.__qualname__}#{self._code(value)}"
        if isinstance(value, functools.partial):
            return f"partial({self.of(value.func)}, {self.of(value.args)}, {self.of(value.keywords)})"
        if isinstance(value, types.MethodType):
            return f"{self.of(value.__func__)} of {self.of(value.__self__)}"
        if isinstance(value, types.BuiltinMethodType):  # a function of a module in C, or a method of an object
            owner = value.__self__
            of_module = owner is None or isinstance(owner, types.ModuleType)
            return f"{value.__qualname__} of {_package(value.__module__) if of_module else self.of(owner)}"
        if isinstance(value, _DESCRIPTORS):
            return f"{value.__objclass__.__qualname__}.{value.__name__}"
        if isinstance(value, types.ModuleType):
            return _package(value.__name__)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, Mapping):
            return "{" + ", ".join(sorted(f"{self.of(key)}: {self.of(each)}" for key, each in value.items())) + "}"
        if isinstance(value, Set):
            return "{" + ", ".join(sorted(map(self.of, value))) + "}"
        if is_dataclass(value):
            return self.of(type(value)) + self.of({each.name: getattr(value, each.name) for each in fields(value)})
        if isinstance(value, tuple | list) and type(value) in (tuple, list):
            return "[" + ", ".join(map(self.of, value)) + "]"
        if isinstance(value, staticmethod | classmethod):
            return f"{type(value).__name__} {self.of(value.__func__)}"
        if isinstance(value, property):
            return f"property {self.of([value.fget, value.fset, value.fdel])}"
        if hasattr(value, "__wrapped__"):  # of functools.cache
            return f"{type(value).__qualname__}({self.of(value.__wrapped__)})"
        return self._object(value)

    def _object(self, value: Any) -> str:
        """Describe any other object: its class and its content, as in pickling."""
        if hasattr(value, "tobytes"):
            content: object = [str(getattr(value, "dtype", "")), getattr(value, "shape", ()), value.tobytes()]
        elif isinstance(value, Sequence):
            content = list(value)
        else:
            try:
                reduce = copyreg.dispatch_table.get(type(value))
                reduced = reduce(value) if reduce else value.__reduce_ex__(4)
                content = [part for part in reduced if not callable(part)]
            except Exception:  # locks and the like do not change scores
                content = []
        return f"{self.of(type(value))} {self.of(content)}"

    def _class(self, value: type) -> str:
        """Describe a class: by name and package if installed, else by all its attributes."""
        if _is_known(value.__module__):
            return f"{value.__qualname__} of {_package(value.__module__)}"
        attributes = {name: each for name, each in vars(value).items() if not name.startswith("__") or callable(each)}
        slots = getattr(value, "__slots__", ())
        return f"{value.__module__}.{value.__qualname__} {self.of([attributes, slots, value.__bases__])}"

    def _code(self, function: types.FunctionType) -> str:
        """Return the digest of a Python function's code and everything it uses."""
        parts = [
            self._instructions(function.__code__),
            function.__defaults__,
            function.__kwdefaults__,
            [_content(cell) for cell in function.__closure__ or ()],
            self._used(function),
        ]
        return hashlib.sha256("\n".join(map(self.of, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]

    def _used(self, function: types.FunctionType) -> dict[str, object]:
        """Return the globals that a function uses; mutable ones by type only, unless they are constants."""
        names = _names(function.__code__)
        used: dict[str, object] = {}
        for name in sorted(names):
            if name not in function.__globals__:
                continue
            value = function.__globals__[name]
            if isinstance(value, types.ModuleType) and not _is_known(value.__name__):
                used[name] = {each: getattr(value, each) for each in sorted(names) if hasattr(value, each)}
            elif isinstance(value, dict | list | set) and not name.isupper():
                used[name] = type(value).__name__  # may change at run time
            elif isinstance(value, types.FunctionType) and value not in VERSIONS and _is_known(value.__module__):
                used[name] = f"{value.__qualname__} of {_package(value.__module__)}"
            else:
                used[name] = value
        return used

    def _instructions(self, code: types.CodeType) -> list[Any]:
        constants = [self._instructions(each) if isinstance(each, types.CodeType) else each for each in code.co_consts]
        return [code.co_code, constants, list(code.co_names), list(code.co_varnames)]


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "(empty)"


def _names(code: types.CodeType) -> set[str]:
    """Return the names that a function and its inner functions look up."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _installed() -> Mapping[str, list[str]]:
    return packages_distributions()


def _is_known(module: str | None) -> bool:
    """Whether a module belongs to the standard library or an installed package, which has a version."""
    top = (module or "").partition(".")[0]
    return top in sys.stdlib_module_names or top in _installed() or top == "vdebench"


@functools.cache
def _package(module: str | None) -> str:
    """Return a module's name with its package version; without it for vdebench, whose version is in signatures."""
    top = (module or "").partition(".")[0]
    for name in _installed().get(top, ()) if top != "vdebench" else ():
        try:
            return f"{module}@{version(name)}"
        except PackageNotFoundError:
            continue
    return str(module)
