"""The parameters that measures may have, and how they are read from objects and text. A name means the same wherever it stands."""

from __future__ import annotations

from idealist.base.values import as_choice, as_count, as_finite, as_flag, as_within, refused
from idealist.errors import InputError
from idealist.measures.discounts import discount_text, read_discount
from idealist.measures.gains import number_text, read_gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


MOST = 1e6
HIGHEST_RANK = 2**32 - 2


def cutoff(value: Any) -> int | None:
    """A rank, or None for all of them. Text is digits alone: nDCG@1e3 is more likely a slip than a thousand."""
    if value is None:
        return None
    digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit()
    if not digits and not hasattr(value, "__index__"):
        raise refused("the cut-off k", "be a whole number, 1 or more", value)
    return as_count(value, "the cut-off k", most=HIGHEST_RANK, text=True)


def number(name: str) -> Callable[[Any], float]:
    return lambda value: as_finite(value, name, text=True)


def within(name: str, low: float, high: float, ends: str = "[]") -> Callable[[Any], float]:
    """A number of an interval; `ends` says whether each end belongs to it, as mathematicians write it."""
    return lambda value: as_within(value, name, low, high, ends, text=True)


def positive(name: str) -> Callable[[Any], float]:
    return within(name, 0, MOST, "(]")


def from_zero(name: str) -> Callable[[Any], float]:
    return within(name, 0, MOST)


def root(name: str) -> Callable[[Any], float]:
    """A number above 0, or the text √x."""

    def read(value: Any) -> float:
        if isinstance(value, str) and value.startswith("√"):
            return float(positive(f"{name}²")(value[1:]) ** 0.5)
        return positive(name)(value)

    return read


def whole(name: str, least: int = 0) -> Callable[[Any], int]:
    return lambda value: as_count(value, name, least, text=True)


def numbers(
    name: str, read_one: Callable[[Any], float], count: int | None = None
) -> Callable[[Any], tuple[float, ...]]:
    """Several numbers, each read by `read_one`; in a text apart by commas, within square brackets or bare."""

    def read(value: Any) -> tuple[float, ...]:
        if isinstance(value, str):
            value = value.strip().removeprefix("[").removesuffix("]").split(",")
        if not hasattr(value, "__iter__"):
            raise refused(name, "be a list of numbers", value)
        checked = tuple(read_one(entry) for entry in value)
        if not checked or len(checked) != (count or len(checked)):
            raise InputError(f"{name} must hold {count or 'one or more'} numbers, not {len(checked)}")
        return checked

    return read


def optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def one_of(name: str, *choices: str) -> Callable[[Any], str]:
    return lambda value: as_choice(value, name, choices)


def flag(name: str) -> Callable[[Any], bool]:
    return lambda value: as_flag(value, name, text=True)


class Parameter:
    """How a parameter is read, from an object or from text, how it is written, and what it means."""

    def __init__(self, read: Callable[[Any], Any], text: Callable[[Any], str], meaning: str) -> None:
        self.read = read
        self.text = text
        self.meaning = meaning


def _gain_text(gain: Any) -> str:
    return getattr(gain, "__name__", str(gain))


def _discount_text(discount: Any) -> str:
    return getattr(discount, "__name__", None) or discount_text(discount)


def numbers_text(numbers: tuple[float, ...]) -> str:
    return "[" + ",".join(map(number_text, numbers)) + "]"


# Few measures have parameters that are names or tables: what reads these is imported when one is read.


def _read_name(value: Any) -> str:
    from idealist.measures.parameter_tables import read_name

    return read_name(value)


def _read_shares(value: Any) -> Any:
    from idealist.measures.parameter_tables import read_shares

    return read_shares(value)


def _read_weights(value: Any) -> Any:
    from idealist.measures.parameter_tables import read_weights

    return read_weights(value)


def _weights_text(table: Any) -> str:
    from idealist.measures.parameter_tables import weights_text

    return weights_text(table)


def _read_gains(value: Any) -> Any:
    from idealist.measures.parameter_tables import read_gains

    return read_gains(value)


def _gains_text(table: Any) -> str:
    from idealist.measures.parameter_tables import gains_text

    return gains_text(table)


def parameter_name(name: str) -> str:
    """The name of a parameter without that of the measure which conventions may have it for: RBP.p."""
    return name.rpartition(".")[2]


def parameter(name: str) -> Parameter:
    """A parameter by name. One that a user's own measure has, and we do not know, is taken as it is."""
    return PARAMETERS.get(parameter_name(name)) or Parameter(lambda value: value, str, "")


def _numeric(read: Callable[[Any], Any], meaning: str) -> Parameter:
    return Parameter(read, number_text, meaning)


def _flag(name: str, meaning: str) -> Parameter:
    return Parameter(flag(name), lambda value: str(value).lower(), meaning)


# `of` and `parts` are measures themselves: `naming`, which reads measures, enters them.
PARAMETERS = {
    "k": Parameter(cutoff, str, "cut-off: only the first k ranks count"),
    "level": _numeric(number("level"), "the lowest grade that counts as relevant"),
    "gain": Parameter(
        read_gain,
        _gain_text,
        "linear (the grade), exp (2^grade - 1), binary (1 above grade 0), a table grade:gain, or a function",
    ),
    "discount": Parameter(
        read_discount,
        _discount_text,
        "log2, jarvelin(base), letor, zipf, rbp(p), none, a table by rank, or a function",
    ),
    "ideal": Parameter(
        one_of("ideal", "judged", "retrieved"),
        str,
        "the best order of all judged documents, or of the retrieved ones only",
    ),
    "beta": _numeric(
        root("beta"),
        "how much more recall counts than precision, or gain than relevance; in NRBP, the chance of going on",
    ),
    "divisor": Parameter(
        one_of("divisor", "relevant", "reachable", "found"),
        str,
        "what the sum is shared among: all R relevant documents, as many as k ranks can hold, min(R, k), or those found",
    ),
    # Levels of recall, and sets
    "recall": _numeric(within("recall", 0, 1), "the share of relevant documents to reach"),
    "points": Parameter(
        numbers("points", within("a point", 0, 1)), numbers_text, "the values of recall averaged over"
    ),
    "cut": Parameter(
        one_of("cut", "ceiling", "nearest", "nine-tenths"),
        str,
        "a share x of R documents is x·R rounded up; to the nearest, as in trec_eval 10; or x·R + 0.9 rounded down, as in trec_eval 9",
    ),
    "multiple": _numeric(positive("multiple"), "the cut-off, in numbers of relevant documents"),
    "coefficients": Parameter(
        numbers("coefficients", number("a coefficient"), 4),
        numbers_text,
        "the worth of a document relevant and retrieved, retrieved only, relevant only, and neither",
    ),
    "collection_size": _numeric(whole("collection_size"), "how many documents there are to retrieve from"),
    # The scale of grades
    "min_grade": _numeric(from_zero("min_grade"), "the lowest grade of the scale, without gain"),
    "max_grade": _numeric(optional(positive("max_grade")), "the highest grade of the scale"),
    # User models
    "p": _numeric(within("p", 0, 1, "()"), "patience: the chance that a person goes on to the next rank"),
    "scale": Parameter(
        one_of("scale", "stated", "judged"),
        str,
        "what a grade is a share of: max_grade, if that is stated; or the highest grade judged for the query, as in trec_eval 10",
    ),
    "below": Parameter(
        one_of("below", "counted", "with-unjudged"),
        str,
        "ranks below the end of a list: always open, or only where the list has an unjudged document, as in trec_eval 10",
    ),
    "total": _flag(
        "total",
        "the gain in all, not divided by the documents a person looks at: true or false",
    ),
    "rate": _numeric(within("rate", 1e-9, 1e6), "how much less the next document is worth"),
    "halflife": _numeric(positive("halflife"), "documents until half the people have left"),
    "L": _numeric(positive("L"), "documents until everyone has left"),
    "power": _numeric(within("power", 0, 1, "(]"), "r documents worth 1 give r^power in all"),
    "T": _numeric(positive("T"), "the gain a person wants"),
    "budget": _numeric(positive("budget"), "the documents a person is ready to look at"),
    "hb": _numeric(from_zero("hb"), "how much more a person wants after a good document"),
    "hc": _numeric(from_zero("hc"), "how many more documents a person looks at after a good one"),
    "med": _numeric(within("med", 0, 1, "(]"), "the gain of a document neither good nor bad"),
    "b1": _numeric(positive("b1"), "how likely a person goes on who has reached the goal"),
    "R1": _numeric(from_zero("R1"), "how strictly a person keeps to the goal"),
    "A": _numeric(from_zero("A"), "the gain per document a person expects"),
    "b2": _numeric(positive("b2"), "how likely a person stops who finds what was expected"),
    "R2": _numeric(from_zero("R2"), "how strictly a person expects that gain per document"),
    "cost": _numeric(positive("cost"), "what it costs to look at a document"),
    # Diversity
    "alpha": _numeric(
        within("alpha", 0, 1), "how much of a subtopic's worth each document takes that covers it"
    ),
    "gamma": _numeric(within("gamma", 0, 1), "how much the share of subtopics covered counts"),
    "subtopics": Parameter(
        one_of("subtopics", "relevant", "all"),
        str,
        "which subtopics the weights are shared among: those for which something is relevant, or all",
    ),
    "norm": Parameter(
        one_of("norm", "bound", "none"),
        str,
        "divided by what a list would have whose every document covers every subtopic, or not at all",
    ),
    "normalize": _flag("normalize", "as a share of what the ideal ranking has: true or false"),
    # Samples, clicks, and lists that end
    "items": Parameter(optional(whole("items", 2)), str, "how many items there are to sample from"),
    "samples": Parameter(whole("samples", 1), str, "how many sampled items stand beside the relevant one"),
    "replacement": _flag("replacement", "whether an item could be sampled twice: true or false"),
    "estimator": Parameter(
        one_of("estimator", "rank", "bias-variance"), str, "how the rank among all items is estimated"
    ),
    "tradeoff": _numeric(
        within("tradeoff", 0, 1, "(]"), "how much the variance of an estimate counts beside its bias"
    ),
    "eta": _numeric(from_zero("eta"), "how fast attention falls: position r is looked at with (1/r)^eta"),
    "clip": _numeric(within("clip", 0, 1), "the least propensity: lower ones are raised to it"),
    "estimate": Parameter(
        one_of("estimate", "ext", "min", "res"),
        str,
        "what is said of ranks below the end of a list: ext (extrapolated), min (the least), res (how much more)",
    ),
    # Preferences
    "over": Parameter(
        one_of("over", "all", "implied", "retrieved"),
        str,
        "all preferences, those of which at least one document is retrieved, or those of which both are",
    ),
    "tied": Parameter(
        one_of("tied", "as-ranked", "id-ascending"),
        str,
        "documents of equal score: as the conventions rank them, or the smaller id first, as in trec_eval",
    ),
    # Items and fairness
    "relevance": Parameter(
        one_of("relevance", "binary", "graded", "none"),
        str,
        "how much a document counts: 1 from level up, (2^grade - 1)/2^max_grade, or 1 whatever its grade",
    ),
    "distance": Parameter(
        one_of("distance", "cosine", "euclidean", "jaccard"),
        str,
        "between two items: of their vectors, or of their sets of categories (jaccard)",
    ),
    "users": _numeric(
        optional(within("users", 0, float("inf"), "(]")),
        "how many users popularity was counted over; by default the highest popularity",
    ),
    "smoothing": _numeric(from_zero("smoothing"), "what is added to every count, so that none is 0"),
    "head": _numeric(within("head", 0, 1, "()"), "the share of the catalogue that counts as popular"),
    "mix": _numeric(
        within("mix", 0, 1, "()"), "how much of the history is mixed into the list, so that no share is 0"
    ),
    "column": Parameter(_read_name, str, "the column of the items that holds their group"),
    "group": Parameter(optional(_read_name), str, "the name of a group"),
    "target": Parameter(
        _read_shares, str, "the share of every group, such as {a:0.5,b:0.5}; by default as in the items"
    ),
    # Sessions, instructions, confidence, nuggets, the ROC curve
    "base": _numeric(within("base", 1, 1e6, "(]"), "the m-th query of a session counts 1/(1 + log_base m)"),
    "balance": _numeric(
        within("balance", 0, 1, "(]"),
        "the chance that a person who goes on does so in the same list, not with a further query",
    ),
    "confidence": Parameter(
        one_of("confidence", "max", "std", "diff1"),
        str,
        "how sure a system is of a list: its highest score, the standard deviation of its scores, or the difference of the first two",
    ),
    "nuggets": Parameter(
        one_of("nuggets", "all", "vital", "weighted"),
        str,
        "which nuggets count: all alike, those of weight 1 only, or all by their weight",
    ),
    "credit": Parameter(
        one_of("credit", "partial", "strict"),
        str,
        "a nugget that is supported in part counts in part, or not at all",
    ),
    "max_fpr": _numeric(
        within("max_fpr", 0, 1, "(]"), "the share of documents judged not relevant that are looked at"
    ),
    "weighting": Parameter(
        one_of("weighting", "judged", "relevant"),
        str,
        "how much a query counts: by its judged documents (impressions), or its relevant ones (clicks)",
    ),
    # Several objectives
    "weights": Parameter(
        _read_weights, _weights_text, "how much each objective counts: {relevance:0.7,novelty:0.3}"
    ),
    "worth": Parameter(
        _read_gains, _gains_text, "what a grade of an objective is worth, if not itself: {relevance:exp}"
    ),
    "how": Parameter(
        one_of("how", "sum", "harmonic", "product", "chebyshev"),
        str,
        "sum (weighted mean), harmonic mean, product (geometric mean), or chebyshev (the part furthest from 1)",
    ),
}
