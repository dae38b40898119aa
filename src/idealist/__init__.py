"""Idealist measures rankings: every one is held against its ideal list."""

from __future__ import annotations

from importlib import import_module

from idealist import conventions
from idealist.conventions import Conventions
from idealist.data import Judgments, Rankings, Run
from idealist.errors import IdealistError, InputError, MissingDependency, UnknownMeasure
from idealist.evaluation import Evaluation, evaluate
from idealist.explanation import Explanation, explain, explain_grades
from idealist.io import read_judgments, read_run
from idealist.measures import Measure, parse

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.grouped import GroupedJudgments
    from idealist.io import read_groups
    from idealist.measures.binary import (
        AP,
        RR,
        F,
        Hits,
        Judged,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        R,
        Rprec,
        Success,
    )
    from idealist.measures.diversity import PIA
    from idealist.measures.gain import CG, DCG, IDCG, NDCG
    from idealist.measures.user_models import ERR

__all__ = [
    "AP",
    "CG",
    "DCG",
    "ERR",
    "IDCG",
    "NDCG",
    "PIA",
    "RR",
    "Conventions",
    "Evaluation",
    "Explanation",
    "F",
    "GroupedJudgments",
    "Hits",
    "IdealistError",
    "InputError",
    "Judged",
    "Judgments",
    "Measure",
    "MissingDependency",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "Rankings",
    "Rprec",
    "Run",
    "Success",
    "UnknownMeasure",
    "conventions",
    "evaluate",
    "explain",
    "explain_grades",
    "parse",
    "read_groups",
    "read_judgments",
    "read_run",
]

# Public names that are imported when somebody asks for them; measures are found by their family.
ELSEWHERE = {
    "GroupedJudgments": "idealist.data.grouped",
    "read_groups": "idealist.io.groups",
}


def __getattr__(name: str) -> object:
    if name in ELSEWHERE:
        return getattr(import_module(ELSEWHERE[name]), name)
    if name in __all__:
        from idealist.measures.families import measure_class

        if cls := measure_class(name):
            return cls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
