"""Choices that change a value but not a measure. Each has a name, and is printed beside the number."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen

# field: what it is about, and what each choice means
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "ties": (
        "documents with equal scores",
        {
            "id-descending": "the greater id first, bytewise, as trec_eval does",
            "id-ascending": "the smaller id first, bytewise",
            "input-order": "as they were given",
            "averaged": "the mean over all orders of the tied documents, as scikit-learn does",
            "optimistic": "the best order of the tied documents, by grade",
            "pessimistic": "the worst order of the tied documents, by grade",
        },
    ),
    "missing": (
        "judged queries missing from the run",
        {
            "zero": "an empty ranking: nothing was found",
            "skip": "left out",
            "error": "an error",
        },
    ),
    "empty": (
        "queries with nothing relevant (no grade above 0)",
        {
            "zero": "0 where a measure is undefined",
            "one": "1 where a measure is undefined",
            "skip": "left out of every measure",
            "error": "an error",
        },
    ),
    "negative": (
        "negative grades",
        {
            "not-relevant": "judged, without gain",
            "unjudged": "as if the document had no judgment",
            "keep": "the gain may be negative",
            "error": "an error",
        },
    ),
    "unjudged": (
        "unjudged documents",
        {
            "not-relevant": "they keep their ranks, without gain",
            "removed": "taken out after ranking; the others move up",
        },
    ),
    "precision": (
        "scores compared as",
        {"double": "64-bit numbers", "single": "32-bit numbers, as trec_eval 9 does"},
    ),
}


class Conventions(Frozen):
    """The choices in force for every measure of a call.

    >>> Conventions(ties="averaged").ties
    'averaged'
    >>> print(Conventions(empty="skip").replace(missing="error"))
    ties id-descending · missing error · empty skip · negative not-relevant · unjudged not-relevant · precision double
    """

    ties: str = "id-descending"
    missing: str = "zero"
    empty: str = "zero"
    negative: str = "not-relevant"
    unjudged: str = "not-relevant"
    precision: str = "double"

    def _checked(self, field: str, value: object) -> object:
        about, choices = CHOICES[field]
        if not (isinstance(value, str) and value in choices):
            raise InputError(
                f"{field}={value!r} is no choice for {about}", hint=f"one of {', '.join(choices)}"
            )
        return value

    def __str__(self) -> str:
        return " · ".join(f"{field} {getattr(self, field)}" for field in self.fields)

    def to_dict(self) -> dict[str, str]:
        return {field: getattr(self, field) for field in self.fields}


DEFAULT = Conventions()
