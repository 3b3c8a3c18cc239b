"""A store for tests: a folder behind the few calls of fsspec that we use, which counts them and can fail."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from pathlib import Path


class FolderStore:
    """`s3://bucket/x` is `bucket/x` below a folder. Like an object store it knows no empty folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.calls: Counter[str] = Counter()
        self.fails: dict[str, Exception] = {}
        """What a call raises."""
        self.cut_short = 0
        """How many downloads to come lose their last byte."""
        self.tells_versions = True

    def _asked(self, call: str) -> None:
        self.calls[call] += 1
        if call in self.fails:
            raise self.fails[call]

    @staticmethod
    def _strip_protocol(url: str) -> str:
        return url.partition("://")[2]

    def invalidate_cache(self) -> None:
        pass

    def _told(self, file: Path) -> dict:
        name = file.relative_to(self.root).as_posix()
        if file.is_dir():
            return {"name": name, "size": 0, "type": "directory"}
        told = {"name": name, "size": file.stat().st_size, "type": "file"}
        return told | ({"ETag": hashlib.md5(file.read_bytes()).hexdigest()} if self.tells_versions else {})

    def _at(self, path: str) -> Path:
        file = self.root / path
        if ".." in path.split("/") or not file.exists() or (file.is_dir() and not any(file.iterdir())):
            raise FileNotFoundError(path)
        return file

    def info(self, path):
        self._asked("info")
        return self._told(self._at(path))

    def ls(self, path, detail):
        self._asked("ls")
        file = self._at(path)
        return [self._told(each) for each in (file.iterdir() if file.is_dir() else [file])]

    def find(self, path, detail):
        self._asked("find")
        files = [file for file in (self.root / path).rglob("*") if file.is_file()]
        return {file.relative_to(self.root).as_posix(): self._told(file) for file in files}

    def get_file(self, path, to):
        self._asked("get")
        content = self._at(path).read_bytes()
        if self.cut_short:
            self.cut_short -= 1
            content = content[:-1]
        Path(to).write_bytes(content)

    def put_file(self, file, path):
        self._asked("put")
        if not (self.root / path.partition("/")[0]).is_dir():
            raise FileNotFoundError(f"The specified bucket does not exist: {path}")
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, self.root / path)

    def rm_file(self, path):
        self._asked("rm")
        self._at(path).unlink()
