"""The identity of a protocol: a digest of every field, functions included."""

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
_DEEPEST = 60
"""Functions that call each other, each a level deeper: what lies deeper is known by its name."""
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def digest(value: object) -> str:
    """Digest of a value and of all it holds, the same in every process.

    >>> digest({"iou_counts": "truth"}) == digest({"iou_counts": "all"})
    False
    """
    return hashlib.sha256(describe(value).encode("utf-8", "surrogatepass")).hexdigest()


def describe(value: object) -> str:
    """Text that differs wherever two values differ in what they compute.

    A function with a version (`metrics.facts.versioned`) is its name and version. Any other function is a digest of
    its code, its defaults, the variables it closes over, and the functions, classes and constants of its own package
    that it uses. What it uses of other packages is known by name and version.

    >>> from vdebench.metrics.text import character_similarity
    >>> describe((character_similarity, 0.5, None))
    '[cdm-1, 0.5, None]'
    """
    return _Description().of(value)


class _Description:
    """Describes one value, every function and class in it once."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}
        self._kept: list[object] = []
        self._depth = 0

    def of(self, value: Any) -> str:
        if isinstance(value, str | bytes | int | float | complex | None | types.EllipsisType):
            return repr(value)
        if id(value) in self._known:
            return self._known[id(value)]
        name = getattr(value, "__qualname__", type(value).__qualname__)
        if self._depth > _DEEPEST:
            return f"({name})"
        self._known[id(value)] = f"(again {name})"  # functions may call each other in a circle
        self._kept.append(value)  # so that no other object gets its id
        self._depth += 1
        try:
            self._known[id(value)] = found = self._of(value)
        finally:
            self._depth -= 1
        return found

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
        """Any other object: its class and what it holds, as pickling would take it."""
        if hasattr(value, "tobytes"):
            held: object = [str(getattr(value, "dtype", "")), getattr(value, "shape", ()), value.tobytes()]
        elif isinstance(value, Sequence):
            held = list(value)
        else:
            try:
                reduce = copyreg.dispatch_table.get(type(value))
                reduced = reduce(value) if reduce else value.__reduce_ex__(4)
                held = [part for part in reduced if not callable(part)]
            except Exception:  # locks and the like: there is nothing of theirs that scores could depend on
                held = []
        return f"{self.of(type(value))} {self.of(held)}"

    def _class(self, value: type) -> str:
        """A class of a script or package of the user's: all its attributes; any other: its name and package."""
        if _is_known(value.__module__):
            return f"{value.__qualname__} of {_package(value.__module__)}"
        held = {name: each for name, each in vars(value).items() if not name.startswith("__") or callable(each)}
        slots = getattr(value, "__slots__", ())
        return f"{value.__module__}.{value.__qualname__} {self.of([held, slots, value.__bases__])}"

    def _code(self, function: types.FunctionType) -> str:
        """Digest of what a Python function computes."""
        parts = [
            self._instructions(function.__code__),
            function.__defaults__,
            function.__kwdefaults__,
            [_content(cell) for cell in function.__closure__ or ()],
            self._used(function),
        ]
        return hashlib.sha256("\n".join(map(self.of, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]

    def _used(self, function: types.FunctionType) -> dict[str, object]:
        """What a function takes from its module by name: not what other code may put there while it runs."""
        names = _names(function.__code__)
        found: dict[str, object] = {}
        for name in sorted(names):
            if name not in function.__globals__:
                continue
            value = function.__globals__[name]
            if isinstance(value, types.ModuleType) and not _is_known(value.__name__):
                found[name] = {each: getattr(value, each) for each in sorted(names) if hasattr(value, each)}
            elif isinstance(value, dict | list | set) and not name.isupper():
                found[name] = type(value).__name__  # it may be filled while the program runs
            elif isinstance(value, types.FunctionType) and value not in VERSIONS and _is_known(value.__module__):
                found[name] = f"{value.__qualname__} of {_package(value.__module__)}"
            else:
                found[name] = value
        return found

    def _instructions(self, code: types.CodeType) -> list[Any]:
        constants = [self._instructions(each) if isinstance(each, types.CodeType) else each for each in code.co_consts]
        return [code.co_code, constants, list(code.co_names), list(code.co_varnames)]


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "(empty)"


def _names(code: types.CodeType) -> set[str]:
    """Names that a function and the functions inside it look up."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _installed() -> Mapping[str, list[str]]:
    return packages_distributions()


def _is_known(module: str | None) -> bool:
    """Whether a module belongs to the standard library or to an installed package, whose version says what it does."""
    top = (module or "").partition(".")[0]
    return top in sys.stdlib_module_names or top in _installed() or top == "vdebench"


@functools.cache
def _package(module: str | None) -> str:
    """A module with the version of the package that it comes from; of this one without: signatures have it."""
    top = (module or "").partition(".")[0]
    for name in _installed().get(top, ()) if top != "vdebench" else ():
        try:
            return f"{module}@{version(name)}"
        except PackageNotFoundError:
            continue
    return str(module)
