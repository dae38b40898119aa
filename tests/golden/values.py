"""Prints the values of every measure for lists that are made up here, digit by digit: the same by every processor.

It takes nothing but the package, so that it runs where NumPy is not installed; `values.txt` has what it prints.
"""

from __future__ import annotations

from collections.abc import Iterator

from idealist import Conventions, InputError, Measure, evaluate
from idealist.data.needs import GRADES
from idealist.measures import parse, registry

GAINS = ["linear", "exp", "{0:0,1:0.1,2:0.3,3:0.7,4:1.9}"]
DISCOUNTS = ["log2", "letor", "zipf", "jarvelin(3)", "rbp(0.8)"]
DOCUMENTS, QUERIES = 60, 5
TIES = ["id-descending", "averaged"]


def draws(state: int = 12345) -> Iterator[int]:
    """Numbers that look drawn, by arithmetic of whole numbers alone."""
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def lists() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """A run and judgments: half of the documents are judged, some are tied."""
    drawn = draws()
    run, judgments = {}, {}
    for query in range(QUERIES):
        documents = [f"d{number:02}" for number in range(DOCUMENTS)]
        run[f"q{query}"] = {document: float(next(drawn) % 40) for document in documents}
        judgments[f"q{query}"] = {document: float(next(drawn) % 5) for document in documents[query % 2 :: 2]}
    return run, judgments


def measures() -> list[Measure]:
    """Every measure that looks at grades and nothing else, by default and cut off, and nDCG in all its forms."""
    texts = [
        f"nDCG(gain={gain},discount={discount})@{k}"
        for gain in GAINS
        for discount in DISCOUNTS
        for k in (10, 40)
    ]
    chosen = [parse(text) for text in texts]
    for cls in registry().values():
        if cls.needs is GRADES and cls.name != "EEL":  # which takes NumPy
            chosen += [cls(), *([cls(k=10)] if "k" in cls.fields else [])]
    return list(dict.fromkeys(chosen))


def lines() -> Iterator[str]:
    run, judgments = lists()
    for measure in measures():
        for ties in TIES:
            try:
                result = evaluate(judgments, run, measure, conventions=Conventions(ties=ties))
            except InputError:  # no closed form for averaged ties, or lists of another shape are wanted
                continue
            yield " ".join([str(measure), ties, *(repr(result.value(measure, query)) for query in run)])


if __name__ == "__main__":
    for line in lines():
        print(line)
