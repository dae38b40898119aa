"""Measures: one class each, in its family's module; the registry is made of their classes."""

from __future__ import annotations

from idealist.measures.base import Measure
from idealist.measures.families.binary import (
    AP,
    RR,
    F,
    Hits,
    Judged,
    P,
    R,
    Rprec,
    Success,
)
from idealist.measures.families.gain import CG, DCG, IDCG, NDCG
from idealist.measures.registry import registry
from idealist.measures.text import parse, parse_all

__all__ = [
    "AP",
    "CG",
    "DCG",
    "IDCG",
    "NDCG",
    "RR",
    "F",
    "Hits",
    "Judged",
    "Measure",
    "P",
    "R",
    "Rprec",
    "Success",
    "parse",
    "parse_all",
    "registry",
]
