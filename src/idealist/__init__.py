"""Idealist measures rankings: every one is held against its ideal list."""

from __future__ import annotations

from idealist import conventions
from idealist.conventions import Conventions
from idealist.data import Judgments, Rankings, Run
from idealist.errors import IdealistError, InputError, MissingDependency, UnknownMeasure
from idealist.evaluation import Evaluation, evaluate
from idealist.explanation import Explanation, explain, explain_grades
from idealist.io import read_judgments, read_run
from idealist.measures import (
    AP,
    CG,
    DCG,
    IDCG,
    NDCG,
    RR,
    F,
    Hits,
    Judged,
    Measure,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    parse,
)

__version__ = "0.1.0"

__all__ = [
    "AP",
    "CG",
    "DCG",
    "IDCG",
    "NDCG",
    "RR",
    "Conventions",
    "Evaluation",
    "Explanation",
    "F",
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
    "read_judgments",
    "read_run",
]
