"""Predictions that MTEB saved, as runs: its numbers again, with every measure, intervals and comparisons.

    import mteb
    from idealist.integrations.mteb import read_predictions

    mteb.evaluate(model, tasks, prediction_folder="predictions")
    run = read_predictions("predictions/NFCorpus_predictions.json")

MTEB itself is not needed to read them. Its retrieval measures are those of pytrec_eval: conventions "trec_eval-9" with missing
queries counted, as `idealist.drop_ins.ir_measures` has them; judged documents with the id of the query are left out there.
"""

from __future__ import annotations

import json
import os

from idealist.base.wording import reason_of
from idealist.data import Run
from idealist.errors import InputError, located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["read_predictions"]

ABOUT = "mteb_model_meta"
HINT = "name a file TASK_predictions.json of a retrieval task, which mteb.evaluate(…, prediction_folder=…) writes"


def read_predictions(
    path: str | os.PathLike[str],
    *,
    subset: str | None = None,
    split: str | None = None,
    name: str | None = None,
) -> Run:
    """The predictions of one subset and split, by default the only ones there; the run has the name of the model."""
    source = os.fspath(path)
    try:
        with open(source, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise InputError(error.strerror or str(error), source=source, hint=HINT) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {reason_of(error)}", source=source, hint=HINT) from None
    if not isinstance(content, dict):
        raise InputError("these are not predictions of MTEB", source=source, hint=HINT)
    about = content.pop(ABOUT, None) or {}
    splits = _chosen(content, "subset", subset, source)
    lists = _chosen(splits, "split", split, source)
    if not isinstance(lists, dict) or not all(isinstance(scores, dict) for scores in lists.values()):
        raise InputError("these are not lists of documents with scores", source=source, hint=HINT)
    model = about.get("model_name") if isinstance(about, dict) else None
    try:
        return Run(lists, name=name or str(model or "mteb"))
    except InputError as error:
        raise located(error, source) from None


def _chosen(parts: Any, what: str, name: str | None, source: str) -> Any:
    """The part of this name, or the only one."""
    if not isinstance(parts, dict) or not parts:
        raise InputError("these are not predictions of MTEB", source=source, hint=HINT)
    known = ", ".join(map(repr, parts))
    if name is None and len(parts) > 1:
        raise InputError(
            f"there are several {what}s: {known}", source=source, hint=f"choose one with {what}="
        )
    if name is not None and name not in parts:
        raise InputError(f"there is no {what} {name!r}", source=source, hint=f"there is {known}")
    return parts[next(iter(parts)) if name is None else name]
