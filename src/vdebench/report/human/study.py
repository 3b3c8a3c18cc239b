"""The human study from files: people's answers, the key of the sheet, and its runs."""

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
    """Run `correlate_study` on files; `metrics` are choices such as `text correctness=cdm`."""
    roots = [Path(root) for root in ([runs] if isinstance(runs, str | Path) else runs)]
    key_data = read_key(Path(key))
    rankings = read_answers([Path(file) for file in answers], key_data, scores=scores)
    stored = _runs_of(key_data.editors, protocol, roots)
    try:
        return correlate_study(
            key_data,
            rankings,
            stored,
            setting=setting,
            metrics=_metric_choices(metrics),
            pages=pages_beside(stored[0]),
            seed=seed,
            resamples=resamples,
        )
    except (AttributeError, KeyError, TypeError) as error:  # an edited summary
        folders = ", ".join(map(str, roots))
        raise RunFolderError(f"{folders}: a run was not written by `vde score` ({error!r}); score again") from None


def _runs_of(editors: Sequence[str], protocol: str, roots: Sequence[Path]) -> list[StoredRun]:
    """The run of each editor by a protocol."""
    by_editor: dict[str, StoredRun] = {}
    stored = [read_run(folder) for folder in all_runs(roots)]
    folders = ", ".join(map(str, roots))
    for run in stored:
        if run.summary["protocol"] != protocol or run.editor not in editors:
            continue
        first = by_editor.setdefault(run.editor, run)
        if first is not run:
            raise InputError(f"{first.root} and {run.root}: two runs of {run.editor} by {protocol}; pass one of them")
    if missing := [editor for editor in editors if editor not in by_editor]:
        available = sorted({f"{run.editor} by {run.summary['protocol']}" for run in stored})
        raise InputError(
            f"{folders}: no run of {missing[0]} by {protocol}, which is in the sheet; found {', '.join(available)}\n"
            "  pass its run with another --runs, or another protocol with --protocol"
        )
    return [by_editor[editor] for editor in editors]


def _metric_choices(metrics: Sequence[str]) -> dict[str, str]:
    """Metrics by criterion.

    >>> _metric_choices(["text correctness = cdm"])
    {'text correctness': 'cdm'}
    """
    choices = {}
    for text in metrics:
        criterion, equals, metric = text.rpartition("=")
        if not (equals and criterion.strip() and metric.strip()):
            raise InputError(f'--metric {text!r}: expected CRITERION=METRIC, such as "text correctness=cdm"')
        choices[criterion.strip()] = metric.strip()
    return choices
