"""From files to findings: people's answers, the key, and the runs that the sheet was made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdebench.errors import InputError, RunFolderError
from vdebench.runs.search import all_runs
from vdebench.stats.bootstrap import RESAMPLES
from vdebench.stats.pages import pages_beside
from vdebench.stats.stored import StoredRun, read_run
from vdebench.studies.human.answers import read_answers
from vdebench.studies.human.sheet import read_key
from vdebench.studies.human.study import correlate_study


def correlate_answers(
    answers: Sequence[Path],
    key: Path,
    runs: Path | Sequence[Path],
    *,
    protocol: str = "strict",
    setting: str = "",
    metrics: Sequence[str] = (),
    scores: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """What `correlate_study` finds in the runs of the sheet's editors; `metrics` are such as `text correctness=cdm`."""
    roots = [Path(each) for each in ([runs] if isinstance(runs, str | Path) else runs)]
    known = read_key(Path(key))
    given = read_answers([Path(file) for file in answers], known, scores=scores)
    stored = _runs_of(known.editors, protocol, roots)
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
        where = ", ".join(map(str, roots))
        raise RunFolderError(f"{where}: a run is not as `vde score` wrote it ({error!r}); score again") from None


def _runs_of(editors: Sequence[str], protocol: str, roots: Sequence[Path]) -> list[StoredRun]:
    """The run of each editor by a protocol."""
    found: dict[str, StoredRun] = {}
    stored = [read_run(folder) for folder in all_runs(roots)]
    where = ", ".join(map(str, roots))
    for run in stored:
        if run.summary["protocol"] != protocol or run.editor not in editors:
            continue
        there = found.setdefault(run.editor, run)
        if there is not run:
            raise InputError(f"{there.root} and {run.root}: two runs of {run.editor} by {protocol}; give one of them")
    if lost := [editor for editor in editors if editor not in found]:
        known = sorted({f"{run.editor} by {run.summary['protocol']}" for run in stored})
        raise InputError(
            f"{where}: no run of {lost[0]} by {protocol}, and the sheet shows it; found {', '.join(known)}\n"
            "  give its run with another --runs, or another protocol with --protocol"
        )
    return [found[editor] for editor in editors]


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
