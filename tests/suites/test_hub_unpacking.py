"""Unpacking of archives, never outside their folder."""

from __future__ import annotations

import io
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.suites import hub_sets
from tests.suites.hub_files import hub_file
from vdebench.suites.hub import HubError
from vdebench.suites.hub import archives as unpacking
from vdebench.suites.hub.archives import unpack


def packed(tmp_path, content: bytes, name: str = "data.zip") -> Path:
    (tmp_path / "root").mkdir(exist_ok=True)
    (tmp_path / "root" / name).write_bytes(content)
    return tmp_path / "root" / name


@pytest.mark.parametrize("pack", [hub_sets.zipped, hub_sets.tarred])
def test_archives_are_unpacked_where_they_lie(tmp_path, pack):
    archive = packed(
        tmp_path,
        pack({"./data/a.txt": b"one", "README.md": b"theirs"}),
        f"x.{'zip' if pack is hub_sets.zipped else 'tgz'}",
    )
    (tmp_path / "root/README.md").write_text("the repository's")
    came = unpack(archive, tmp_path / "root", keep=frozenset({"README.md"}))
    assert came == [hub_file("data/a.txt", b"one")]
    assert (tmp_path / "root/data/a.txt").read_bytes() == b"one"
    assert (tmp_path / "root/README.md").read_text() == "the repository's"


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil", "..\\evil", "C:/evil", ".vde-get.json"])
@pytest.mark.parametrize("pack", [hub_sets.zipped, hub_sets.tarred])
def test_nothing_is_unpacked_outside(tmp_path, name, pack):
    archive = packed(tmp_path, pack({name: b"x"}), f"x.{'zip' if pack is hub_sets.zipped else 'tar.gz'}")
    with pytest.raises(HubError, match="outside the folder: refused"):
        unpack(archive, tmp_path / "root")
    assert [path.name for path in tmp_path.rglob("*")] == ["root", archive.name]


def test_links_are_refused(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as writer:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        writer.writestr(info, "/etc/passwd")
    with pytest.raises(HubError, match="'link' is a link"):
        unpack(packed(tmp_path, out.getvalue()), tmp_path / "root")
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            info = tarfile.TarInfo("link")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        with pytest.raises(HubError, match="'link' is a link"):
            unpack(packed(tmp_path, out.getvalue(), "x.tar"), tmp_path / "root")


def test_bombs_and_broken_archives_are_refused(tmp_path, monkeypatch):
    bomb = hub_sets.zipped({"zeros": bytes(2_000_000)})
    monkeypatch.setattr(unpacking, "MAX_BYTES", 1_000_000)
    with pytest.raises(HubError, match="unpacks to more than 1,000,000 bytes"):
        unpack(packed(tmp_path, bomb), tmp_path / "root")
    monkeypatch.undo()
    real = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda path: real._replace(free=unpacking.RESERVE + 1000))
    with pytest.raises(HubError, match="the disk is full"):
        unpack(packed(tmp_path, bomb), tmp_path / "root")
    monkeypatch.undo()
    for name, content in (("x.zip", b"PK\3\4 no"), ("x.tar.gz", b"\x1f\x8b no"), ("y.zip", bomb[:500])):
        with pytest.raises(HubError, match=f"{name}: cannot be unpacked"):
            unpack(packed(tmp_path, content, name), tmp_path / "root")
