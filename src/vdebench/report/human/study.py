"""From files to findings: people's answers, the key, and the runs that the sheet was made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdebench.analysis.bootstrap import RESAMPLES
from vdebench.analysis.human_answers import read_answers
from vdebench.analysis.human_sheet import read_key
from vdebench.analysis.human_study import correlate_study
from vdebench.analysis.pages import pages_beside
from vdebench.analysis.stored import read_run
from vdebench.errors import InputError, RunFolderError


def correlate_answers(
    answers: Sequence[Path],
    key: Path,
    runs: Path,
    *,
    protocol: str = "exact",
    setting: str = "",
    metrics: Sequence[str] = (),
    scores: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """What `correlate_study` finds; `metrics` are such as `text correctness=cdm`."""
    known = read_key(Path(key))
    given = read_answers([Path(file) for file in answers], known, scores=scores)
    stored = [read_run(Path(runs) / editor / protocol) for editor in known.editors]
    try:
        return correlate_study(
            known,
            given,
            stored,
            setting=setting,
            metrics=_chosen(metrics),
            pages=pages_beside(stored[0]),
            seed=seed,
            resamples=resamples,
        )
    except (AttributeError, KeyError, TypeError) as error:  # somebody has edited a summary
        raise RunFolderError(f"{runs}: a run is not as `vde score` wrote it ({error!r}); score again") from None


def _chosen(metrics: Sequence[str]) -> dict[str, str]:
    """Metrics by criterion.

    >>> _chosen(["text correctness = cdm"])
    {'text correctness': 'cdm'}
    """
    found = {}
    for text in metrics:
        criterion, equals, metric = text.rpartition("=")
        if not (equals and criterion.strip() and metric.strip()):
            raise InputError(f'--metric {text!r}: expected CRITERION=METRIC, such as "text correctness=cdm"')
        found[criterion.strip()] = metric.strip()
    return found
