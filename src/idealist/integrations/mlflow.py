"""Results in MLflow: numbers as metrics, settings as tags, files as artifacts; and measures as metrics of
`mlflow.models.evaluate`.

    import mlflow
    from idealist.integrations.mlflow import MlflowLogger, make_metric

    with mlflow.start_run():
        MlflowLogger().log(idealist.evaluate(judgments, run, "nDCG@10"), step=epoch)
        mlflow.models.evaluate(data=table, predictions="retrieved", targets="relevant",
                               extra_metrics=[make_metric("nDCG@10"), make_metric("R@100")])
"""

from __future__ import annotations

from idealist.conventions import DEFAULT, as_conventions
from idealist.errors import InputError, MissingDependency
from idealist.evaluation import evaluate
from idealist.integrations.tracking import ResultLogger, metric_name
from idealist.measures import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.measures import Measure

__all__ = ["MlflowLogger", "make_metric"]


class MlflowLogger(ResultLogger):
    """Logs to a run of MLflow by its id; without one, to the active run, which MLflow begins if there is none."""

    def __init__(self, run_id: str | None = None) -> None:
        self._mlflow = _mlflow()
        self._run_id = run_id

    def _log_values(self, values: Mapping[str, float], step: int | None) -> None:
        self._mlflow.log_metrics(dict(values), step=step, run_id=self._run_id)

    def _log_settings(self, settings: Mapping[str, str]) -> None:
        # Tags and not parameters: a parameter could not have another value at the next step.
        if self._run_id is None:
            self._mlflow.set_tags(dict(settings))
        else:
            for name, text in settings.items():
                self._mlflow.MlflowClient().set_tag(self._run_id, name, text)

    def _log_files(self, files: Mapping[str, str], step: int | None) -> None:
        """In the folder of the result, and of the step where there is one."""
        for name, text in files.items():
            folder, _, title = name.rpartition("/")
            place = folder if step is None else f"{folder}/step-{step}"
            self._mlflow.log_text(text, f"{place}/{title}", run_id=self._run_id)


def make_metric(measure: str | Measure, *, conventions: Conventions | str = DEFAULT) -> Any:
    """A measure as a metric of `mlflow.models.evaluate`: a score per row, and their mean.

    A row's prediction is its documents in ranked order, or a dict of scores by document. Its target is the list of
    relevant documents, or a dict of grades by document. Where the measure is undefined, the conventions decide.
    """
    mlflow = _mlflow()
    conventions = as_conventions(conventions)
    parsed = parse(measure, defaults=conventions.parameters)
    if parsed.aggregate != "mean" or parsed.better == "neither":
        lacks = "mean over queries" if parsed.aggregate != "mean" else "better and worse"
        raise InputError(f"{parsed} has no {lacks}", hint="name another measure, such as nDCG@10")

    def eval_fn(predictions: Any, targets: Any, metrics: Any = None) -> Any:
        run = {str(row): _ranked(documents, row) for row, documents in enumerate(predictions)}
        judged = {str(row): _graded(documents, row) for row, documents in enumerate(targets)}
        result = evaluate(judged, run, parsed, conventions=conventions)
        values = result.by_query(parsed)
        return mlflow.metrics.MetricValue(
            scores=[values.get(row) for row in run],
            aggregate_results={"mean": result.mean(parsed)} if values else {},
        )

    return mlflow.models.make_metric(
        eval_fn=eval_fn,
        greater_is_better=parsed.better == "higher",
        name=metric_name(parsed),
        long_name=str(parsed),
        metric_details=(type(parsed).__doc__ or "").strip().split("\n")[0],
    )


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.metrics
        import mlflow.models
    except ImportError:
        raise MissingDependency("MLflow is not installed", hint="pip install mlflow") from None
    return mlflow


def _ranked(documents: Any, row: int) -> dict[str, float]:
    if isinstance(documents, dict):
        return {str(document): float(score) for document, score in documents.items()}
    names = _names(documents, row, "prediction")
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise InputError(f"row {row}: document {twice!r} is retrieved twice", hint="leave the second one out")
    return {name: float(len(names) - at) for at, name in enumerate(names)}


def _graded(documents: Any, row: int) -> dict[str, float]:
    if isinstance(documents, dict):
        return {str(document): float(grade) for document, grade in documents.items()}
    return dict.fromkeys(_names(documents, row, "target"), 1.0)


def _names(documents: Any, row: int, what: str) -> list[str]:
    if isinstance(documents, (str, bytes)) or not hasattr(documents, "__iter__"):
        raise InputError(
            f"row {row}: the {what} must be a list of documents or a dict, not {documents!r}",
            hint="one list per query, such as ['d3', 'd1']",
        )
    return [str(document) for document in documents]
