"""Results as trackers of experiments keep them: named numbers, settings and files. Each tracker is a `ResultLogger`
in a module of its own (`mlflow`, `wandb`, `tensorboard`), and the names of numbers are the same in all of them."""

from __future__ import annotations

import re

from idealist import __version__
from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_text
from idealist.comparison.comparison import Comparison
from idealist.errors import InputError
from idealist.evaluation.evaluation import Evaluation
from idealist.votes.gsb_result import GSB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from idealist.comparison.contrast import Contrast
    from idealist.measures import Measure
    from idealist.statistics.mean_estimates import Interval

__all__ = ["ResultLogger", "TrackedResult", "metric_name", "track"]

# What every tracker takes in the name of a number. MLflow refuses "@", "(" and "=".
UNSAFE = re.compile(r"(?:[^\w.\-]|_)+")  # letters of any language stay


def metric_name(measure: Measure | str) -> str:
    """The name of a measure or a system among the numbers of a tracker.

    >>> metric_name("nDCG@10"), metric_name("nDCG(gain=exp)@10"), metric_name("bm25 v2"), metric_name("新模型")
    ('nDCG_at_10', 'nDCG_gain_exp_at_10', 'bm25_v2', '新模型')
    """
    return UNSAFE.sub("_", str(measure).replace("@", "_at_")).strip("_") or "_"


class TrackedResult(Frozen):
    """What is logged of a result: numbers by name, settings by name, and files by name with their text."""

    values: Mapping[str, float]
    settings: Mapping[str, str]
    files: Mapping[str, str]


def track(result: Evaluation | Comparison | GSB, prefix: str = "") -> TrackedResult:
    """The numbers, settings and files of a result, with `prefix/` before their names.

    An evaluation gives a number per measure, under the system's name if there are several; a comparison also
    `B_vs_A/nDCG_at_10/difference`, `low`, `high` and `p`; a GSB its value, interval and counts. A mean over no query is
    nan; an interval that does not exist is left out.

    >>> from idealist import evaluate
    >>> result = evaluate({"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["RR", "P@2"])
    >>> dict(track(result, "dev").values)
    {'dev/RR': 0.5, 'dev/P_at_2': 0.5}
    """
    start = f"{as_text(prefix, 'prefix').strip('/')}/" if prefix else ""
    values: dict[str, float] = {}
    for name, value in _values(result):
        if start + name in values:
            raise InputError(
                f"two numbers would be called {start + name!r}",
                hint="rename a system, or log the results one by one, each with its own prefix",
            )
        values[start + name] = float(value)
    folder = start or "idealist/"
    files = {f"{folder}{title}": text for title, text in _files(result)}
    return TrackedResult(values, dict(_settings(result)), files)


def _values(result: Evaluation | Comparison | GSB) -> Iterator[tuple[str, float]]:
    if isinstance(result, Evaluation):
        for system in result.systems:
            place = f"{metric_name(system)}/" if len(result.systems) > 1 else ""
            for measure in result.measures:
                yield place + metric_name(measure), result.aggregate(measure, system)
    elif isinstance(result, Comparison):
        yield from _values(result.evaluation)
        for contrast in result.contrasts:
            yield from _of_contrast(contrast)
    elif isinstance(result, GSB):
        yield "GSB", result.value
        yield from _ends("GSB", result.interval)
        yield from ((f"GSB/{name}", getattr(result, name)) for name in ("good", "same", "bad", "n"))
        yield "GSB/p", result.p_value
    else:
        raise InputError(
            f"a {type(result).__name__} cannot be logged",
            hint="log the result of evaluate, compare or gsb",
        )


def _of_contrast(contrast: Contrast) -> Iterator[tuple[str, float]]:
    pair = f"{metric_name(contrast.system)}_vs_{metric_name(contrast.baseline)}"
    place = f"{pair}/{metric_name(contrast.measure)}"
    yield f"{place}/difference", contrast.difference
    yield from _ends(place, contrast.interval)
    if contrast.p_value is not None:
        yield f"{place}/p", contrast.p_value


def _ends(place: str, interval: Interval | None) -> Iterator[tuple[str, float]]:
    if interval is not None:
        yield f"{place}/low", interval.low
        yield f"{place}/high", interval.high


def _settings(result: Evaluation | Comparison | GSB) -> Iterator[tuple[str, str]]:
    yield "idealist.version", __version__
    if isinstance(result, GSB):
        yield "idealist.verdict", result.verdict.outcome
        return
    evaluation = result.evaluation if isinstance(result, Comparison) else result
    yield "idealist.conventions", str(evaluation.conventions)
    yield "idealist.queries", str(len(evaluation.queries))
    if isinstance(result, Comparison):
        yield "idealist.baseline", result.baseline


def _files(result: Evaluation | Comparison | GSB) -> Iterator[tuple[str, str]]:
    kind = type(result).__name__.lower()
    yield f"{kind}.md", result.to_markdown()
    yield f"{kind}.json", result.to_json()


class ResultLogger:
    """Logs results of `evaluate`, `compare` and `gsb` to a tracker; a module per tracker says how."""

    def log(
        self,
        result: Evaluation | Comparison | GSB,
        *,
        step: int | None = None,
        prefix: str = "",
        files: bool = True,
    ) -> dict[str, float]:
        """Logs the numbers of a result, and gives them back; without `files`, nothing but numbers.

        `step` is the step or epoch of training, and `prefix` what all names begin with, such as "dev".
        """
        if step is not None:
            step = as_count(step, "step", 0)
        tracked = track(result, prefix)
        self._log_values(tracked.values, step)
        if files:
            self._log_settings(tracked.settings)
            self._log_files(tracked.files, step)
        return dict(tracked.values)

    def _log_values(self, values: Mapping[str, float], step: int | None) -> None:
        raise NotImplementedError

    def _log_settings(self, settings: Mapping[str, str]) -> None:
        raise NotImplementedError

    def _log_files(self, files: Mapping[str, str], step: int | None) -> None:
        raise NotImplementedError
