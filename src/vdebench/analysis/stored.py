"""Run folders as matrices: for every sample and metric what is added up over what, as `bootstrap` and `paired` ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from vdebench.analysis import means as page_means
from vdebench.analysis.bootstrap import RESAMPLES, Array, Derive, Method, bootstrap, means
from vdebench.errors import RunFolderError, VdeError
from vdebench.files import is_file, read_json
from vdebench.metrics.measures import MEASURES
from vdebench.protocols import get_protocol
from vdebench.protocols.protocol import IMAGE_METRICS, Protocol
from vdebench.protocols.textedit import PixelProtocol, get_pixel_protocol
from vdebench.scoring_masked import NUMBERS

_CORRECTNESS = ("bleu", "cdm", "teds_like")  # whose mean is the text correctness
_LOWER = {"mse", "edit_mse", "residual", "untouched"} | {key for key, each in MEASURES.items() if each.best == "lower"}
_FACTS = ("mask_share", "redrawn")  # neither good nor bad


@dataclass(frozen=True)
class StoredRun:
    """One editor's run as it was kept: its summary and a row for every sample and setting."""

    root: Path
    summary: Mapping[str, Any]
    rows: pl.DataFrame

    @property
    def editor(self) -> str:
        """The editor's name."""
        return str(self.summary["editor"])

    @property
    def around_masks(self) -> bool:
        """Whether images were compared around masks."""
        return self.summary.get("track") == "pixels"

    @property
    def settings(self) -> list[str]:
        """Settings with means, in the order of the summary."""
        return [setting for setting, found in self.summary["overall"].items() if found]


class Statistic(NamedTuple):
    """A number made of the means of one or several columns: their mean, in decibel where asked."""

    columns: tuple[str, ...]
    decibel: bool = False


class Column(NamedTuple):
    """What is added up for a mean, sample by sample; `each` where the mean is one of the samples' values."""

    over: Array
    under: Array
    each: bool


class Matrix(NamedTuple):
    """Samples × columns, and what is made of the columns' means."""

    samples: list[str]
    numerators: Array
    denominators: Array
    each: list[bool]
    """For every column whether it is a mean of the samples' values: those are compared where all have one."""
    statistics: dict[str, Statistic]
    """The metrics, and what each is made of."""
    derive: Derive

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self.statistics)

    def of(self, samples: Sequence[str]) -> Matrix:
        """Only some samples, in their order."""
        place = {sample: at for at, sample in enumerate(self.samples)}
        rows = [place[sample] for sample in samples]
        return self._replace(
            samples=list(samples), numerators=self.numerators[rows], denominators=self.denominators[rows]
        )

    def means(self) -> Array:
        """The metrics over all samples, as the summary has them."""
        return means(self.numerators.sum(axis=0), self.denominators.sum(axis=0), self.derive)


def read_run(root: str | Path) -> StoredRun:
    """The run in a folder, as `vde score --out` and `vde run` make them."""
    folder = Path(root)
    for name in ("summary.json", "scores.parquet"):
        if not is_file(folder / name):
            below = sorted(file.parent for file in folder.rglob("scores.parquet") if file.parent.name != "reference")
            hint = (
                f"did you mean {below[0]}?" if below else "expected a folder made by `vde score … --out` or `vde run`"
            )
            raise RunFolderError(f"{folder}: no {name} here; {hint}")
    summary = read_json(folder / "summary.json")
    texts = ("signature", "protocol", "suite", "editor")
    if not isinstance(summary, dict) or not all(isinstance(summary.get(key), str) for key in texts):
        raise RunFolderError(f"{folder / 'summary.json'}: not a summary that `vde score` wrote; score again")
    try:
        rows = pl.read_parquet(folder / "scores.parquet")
        twice = rows.select("sample", "setting").is_duplicated().any()
    except pl.exceptions.PolarsError as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{folder / 'scores.parquet'}: cannot be read: {first}; score again") from None
    if twice or not isinstance(summary.get("overall"), dict):
        raise RunFolderError(f"{folder}: not a run as `vde score` writes it; score again")
    return StoredRun(folder, summary, rows)


def differing_parts(signatures: Sequence[str]) -> dict[str, list[str]]:
    """Parts of signatures that are not the same in all, with what each says; the editor may differ.

    >>> differing_parts(["vde|p:exact|reader:a@1|n:9", "vde|p:exact|reader:b@2|n:9"])
    {'reader': ['a@1', 'b@2']}
    """
    split = [dict(part.partition(":")[::2] for part in signature.split("|")[1:]) for signature in signatures]
    keys = dict.fromkeys(key for parts in split for key in parts if key != "editor")
    said = {key: [parts.get(key, "nothing") for parts in split] for key in keys}
    return {key: values for key, values in said.items() if len(set(values)) > 1}


def matrix(run: StoredRun, setting: str, metrics: Sequence[str] | None = None) -> Matrix:
    """What the means of a setting are made of, for some metrics or for all that have a number."""
    rows = run.rows.filter(pl.col("setting") == setting)
    if run.around_masks:
        columns, statistics = _around_masks(rows, get_pixel_protocol(run.summary["protocol"]))
    else:
        rows = rows.filter(pl.col("gt_blocks").is_not_null())
        columns, statistics = _of_pages(rows, get_protocol(run.summary["protocol"]))
    known = {name for name, parts in statistics.items() if all(columns[part].under.any() for part in parts.columns)}
    for name in metrics or ():
        if name not in known:
            there = ", ".join(each for each in statistics if each in known)
            raise VdeError(f"{run.root}: no {name!r} in the setting {setting}; there are: {there}")
    chosen = list(metrics) if metrics is not None else [name for name in statistics if name in known]
    used = list(dict.fromkeys(part for name in chosen for part in statistics[name].columns))
    nothing = np.zeros((len(rows), 0))
    places = [([used.index(part) for part in statistics[name].columns], statistics[name].decibel) for name in chosen]
    return Matrix(
        rows["sample"].to_list(),
        np.stack([columns[name].over for name in used], axis=1) if used else nothing,
        np.stack([columns[name].under for name in used], axis=1) if used else nothing,
        [columns[name].each for name in used],
        {name: statistics[name] for name in chosen},
        partial(_derived, places),
    )


def _derived(places: Sequence[tuple[list[int], bool]], found: Array) -> Array:
    """Metrics from the columns' means."""
    made = []
    for at, decibel in places:
        value = found[..., at].mean(axis=-1)
        if decibel:
            with np.errstate(divide="ignore"):  # no error at all is infinite
                value = 10 * np.log10(255**2 / value)
        made.append(value)
    return np.stack(made, axis=-1) if made else found[..., :0]


def _of_pages(rows: pl.DataFrame, protocol: Protocol) -> tuple[dict[str, Column], dict[str, Statistic]]:
    """Columns and headline metrics of a run on pages, by the protocol's kind of mean."""
    names = page_means.mean_names(protocol)  # the one place that knows which sums make which mean
    vectors = list(page_means.mean_columns(rows, protocol))
    columns = {}
    for at, name in enumerate(names):
        total, count, value, there = vectors[4 * at : 4 * at + 4]
        each = protocol.headline == "macro" or name == "mse" or name == "psnr_finite" or name in IMAGE_METRICS
        columns[name] = Column(value, there, True) if each else Column(total, count, False)
    statistics = {name: Statistic((name,)) for name in names if name != "mse"}
    if set(_CORRECTNESS) <= columns.keys():
        statistics["text_correctness"] = Statistic(_CORRECTNESS)
    pooled = Statistic(("mse",), decibel=True)
    statistics |= {"psnr": pooled if protocol.psnr == "pooled" else Statistic(("psnr_finite",)), "psnr_pooled": pooled}
    return columns, statistics


def _around_masks(rows: pl.DataFrame, protocol: PixelProtocol) -> tuple[dict[str, Column], dict[str, Statistic]]:
    """The same of a run around masks, whose means are all over samples."""
    scored = rows["state"] == "scored"
    columns = {name: _values(rows[name], scored) for name in (*NUMBERS, "untouched") if name not in _FACTS}
    if protocol.whole:
        # an output that is not there has not done what was asked
        absent = (rows["state"] == "missing") & (rows["against"] == "reference")
        for name in ("done", "score"):
            columns[name] = _values(rows[name].fill_null(0.0), absent | rows["score"].is_not_null())
    statistics = {name: Statistic((name,)) for name in columns if not name.startswith("psnr")}
    for end in ("", "_raw"):
        finite, pooled = Statistic((f"psnr{end}",)), Statistic((f"mse{end}",), decibel=True)
        infinite = protocol.psnr == "as it comes" and bool((rows["mse" + end] == 0).any())
        if not infinite:
            statistics[f"psnr{end}"] = pooled if protocol.psnr == "pooled" else finite
        statistics |= {f"psnr_finite{end}": finite, f"psnr_pooled{end}": pooled}
    return columns, statistics


def _values(values: pl.Series, counted: pl.Series) -> Column:
    there = (values.is_not_null() & counted).fill_null(False)
    return Column(
        values.cast(pl.Float64).fill_null(0.0).to_numpy() * there.to_numpy(), there.cast(pl.Float64).to_numpy(), True
    )


def best(metric: str) -> Literal["higher", "lower"]:
    """Which way a metric is better.

    >>> best("cdm"), best("lpips_raw")
    ('higher', 'lower')
    """
    return "lower" if metric.removesuffix("_raw") in _LOWER else "higher"


def intervals(
    run: StoredRun,
    setting: str,
    metrics: Sequence[str] | None = None,
    pages: Mapping[str, str] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    method: Method = "percentile",
    level: float = 0.95,
) -> dict[str, tuple[float, float] | None]:
    """The interval of every mean of a run, None where there is none: for any table that shows means."""
    found = matrix(run, setting, metrics)
    low, high = bootstrap(
        found.numerators,
        found.denominators,
        [pages[sample] for sample in found.samples] if pages is not None else None,
        resamples=resamples,
        seed=seed,
        method=method,
        level=level,
        derive=found.derive,
    )
    bounds = zip(found.metrics, low.tolist(), high.tolist(), strict=True)
    return {name: None if np.isnan(one) else (one, other) for name, one, other in bounds}
