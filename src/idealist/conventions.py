"""Choices that change a value but not a measure. Each has a name, and is printed beside the number."""

from __future__ import annotations

from idealist import kernels
from idealist.base.annotations import read_late
from idealist.base.frozen import Frozen, FrozenTable
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# field: what it is about, and what each choice means
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "ties": (
        "documents with equal scores",
        {
            "id-descending": "the greater id first, bytewise, as trec_eval does",
            "id-ascending": "the smaller id first, bytewise",
            "input-order": "as they were given",
            "averaged": "the mean over all orders of the tied documents, as scikit-learn does",
            "optimistic": "the best order of the tied documents, by grade; a note names measures whose best value another order may have",
            "pessimistic": "the worst order of the tied documents, by grade, with such a note",
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


def other_choices(field: str) -> str:
    """The choices to use instead where a choice is "error", and it is one.

    >>> other_choices("missing")
    'choose missing=zero or missing=skip to go on'
    """
    *others, last = (f"{field}={choice}" for choice in CHOICES[field][1] if choice != "error")
    return f"choose {', '.join(others)} or {last} to go on"


class Conventions(Frozen):
    """The choices in force for every measure of a call.

    `parameters` are for measures that have them and do not state them, whether the measure is a text or an
    object: with {"gain": "exp"}, both "nDCG@10" and NDCG(k=10) mean nDCG(gain=exp)@10, and NDCG(k=10, gain="linear")
    stays as it is. {"RBP.p": 0.9} is for RBP alone.

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
    parameters: Mapping[str, Any] = FrozenTable({})

    def _checked(self, field: str, value: Any) -> object:
        if field == "parameters":
            if not hasattr(value, "items"):
                raise InputError(
                    f"parameters must be a mapping from names to values, not {value!r}",
                    hint="for example {'gain': 'exp'}",
                )
            return FrozenTable(dict(value))
        about, choices = CHOICES[field]
        if not (isinstance(value, str) and value in choices):
            raise InputError(
                f"{field}={value!r} is not a choice for {about}", hint=f"name one of: {', '.join(choices)}"
            )
        return value

    def __str__(self) -> str:
        """The choices; parameters are printed with the measures that have them."""
        return " · ".join(f"{field} {choice}" for field, choice in self.to_dict().items())

    def to_dict(self) -> dict[str, str]:
        return {field: getattr(self, field) for field in CHOICES}


DEFAULT = Conventions()


def as_conventions(value: Any) -> Conventions:
    """Conventions, as an object or as text.

    >>> as_conventions("lightgbm") == LIGHTGBM
    True
    """
    if isinstance(value, str):
        return parse_conventions(value)
    if not isinstance(value, Conventions):
        raise InputError(
            f"conventions must be a Conventions object or text, not {value!r}",
            hint="Conventions(ties='averaged'), 'ties=averaged', or those of a tool, such as 'lightgbm'",
        )
    return value


class Preset(Frozen):
    """The conventions of a tool, and a remark on what no convention covers."""

    conventions: Conventions
    about: str
    remark: str = ""


# The documents a learner scores are the judged ones; queries that it is not given are not measured.
_LEARNER = Conventions(ties="input-order", missing="skip", negative="error")

TREC_EVAL_9 = Conventions(
    missing="skip", precision="single", parameters={"cut": "nine-tenths", "tied": "id-ascending"}
)
TREC_EVAL_10 = Conventions(
    missing="error",
    parameters={
        "cut": "nearest",
        "RprecMult.cut": "nine-tenths",  # which 10 left as it was
        "RprecMult-AvgJG.cut": "nine-tenths",
        "tied": "id-ascending",
        "RBP.p": 0.9,
        "scale": "judged",
        "below": "with-unjudged",
    },
)
SCIKIT_LEARN = _LEARNER.replace(ties="averaged")
TORCHMETRICS = SCIKIT_LEARN.replace(precision="single", parameters={"divisor": "found"})
LIGHTGBM = _LEARNER.replace(empty="one", parameters={"gain": "exp", "divisor": "reachable"})
XGBOOST = LIGHTGBM.replace(precision="single")
CATBOOST = _LEARNER.replace(ties="pessimistic", empty="one", parameters={"divisor": "reachable"})
LETOR = _LEARNER.replace(parameters={"gain": "exp", "discount": "letor"})
RANKLIB = _LEARNER.replace(parameters={"gain": "exp"})
RANX = Conventions(ties="input-order", missing="error")
SPARK = Conventions(ties="input-order", missing="skip", parameters={"gain": "binary", "divisor": "reachable"})
RECBOLE = SPARK.replace(empty="skip")
RANK_METRICS = Conventions(
    ties="input-order",
    missing="skip",
    negative="keep",
    parameters={"discount": "jarvelin(2)", "ideal": "retrieved", "divisor": "found"},
)

PRESETS = {
    "idealist": Preset(DEFAULT, "the defaults of Idealist"),
    "trec_eval-9": Preset(
        TREC_EVAL_9,
        "trec_eval 9.0, pytrec_eval, and with it ir_measures, BEIR, MTEB and PyTerrier",
        "its ndcg without a cut-off adds negative gains; -c counts missing queries as zero",
    ),
    "trec_eval-10": Preset(
        TREC_EVAL_10,
        "trec_eval 10.0",
        "its ndcg without a cut-off adds negative gains; -c counts missing queries as zero; rbp has p=0.9; Rprec_mult rounds as in 9",
    ),
    "scikit-learn": Preset(
        SCIKIT_LEARN,
        "sklearn.metrics.ndcg_score and dcg_score",
        "dcg_score adds negative gains; both refuse a query with one document",
    ),
    "torchmetrics": Preset(
        TORCHMETRICS,
        "torchmetrics.retrieval",
        "only its nDCG averages ties and takes grades; to its MAP, MRR, Precision and Recall, a document with a score of 0 or less is not found; negative gains count in its ideal",
    ),
    "lightgbm": Preset(
        LIGHTGBM,
        "LightGBM's ndcg and map",
        "label_gain may replace the gain; grades are whole, at most 30; a weighted ndcg may pass 1 where queries are empty",
    ),
    "xgboost": Preset(
        XGBOOST,
        "XGBoost's ndcg and map",
        "ndcg- and map- count empty queries as zero; ndcg_exp_gain=false makes the gain linear; map wants grades 0 and 1; both end at rank 32 without a cut-off; pre@k divides by fewer than k where a list is shorter; a weighted ndcg is wrong where queries are empty, and an error above 1",
    ),
    "catboost": Preset(
        CATBOOST,
        "CatBoost's NDCG, DCG and RecallAt; its MAP except for empty queries",
        "its MAP and MRR count empty queries as zero; type=Exp makes the gain exp; PrecisionAt divides by fewer than k where a list is shorter; grades above 0.5 are relevant; MAP, PrecisionAt and RecallAt have no weights; negative gains count in its ideal",
    ),
    "letor": Preset(
        LETOR,
        "LETOR's Eval-Score-3.0.pl and Eval-Score-4.0.pl",
        "it knows the grades 0, 1 and 2; its NDCG@k of a query with fewer than k documents is zero",
    ),
    "ranklib": Preset(
        RANKLIB, "RankLib's NDCG@k, DCG@k and MAP", "its bare NDCG is NDCG@10; its MAP has no cut-off"
    ),
    "ranx": Preset(
        RANX,
        "ranx",
        "ties in lists of more than 15 documents are in no order; real grades lose their fraction; its rbp may pass 1; its bpref may be nan, and takes negative grades for judged",
    ),
    "spark": Preset(
        SPARK,
        "pyspark.mllib.evaluation.RankingMetrics and pyspark.ml's RankingEvaluator",
        "a document listed twice counts twice there; grades given from Python are dropped; its meanAveragePrecision has no cut-off",
    ),
    "recbole": Preset(
        RECBOLE,
        "RecBole's evaluator",
        "users without test items are not evaluated; ties are in no order",
    ),
    "rank_metrics": Preset(
        RANK_METRICS,
        "the gist rank_metrics.py by Brandyn White, and copies of it",
        "it sees the grades of result lists alone; every grade but 0 is relevant; method=1 makes the discount log2; its r_precision is the precision at the last relevant document retrieved; its precision_at_k refuses shorter lists",
    ),
}


def parse_conventions(text: str) -> Conventions:
    """The conventions that a text names: a tool of PRESETS, choices, or a tool but for some choices.

    >>> parse_conventions("lightgbm") == LIGHTGBM
    True
    >>> parse_conventions("trec_eval-9,missing=zero") == TREC_EVAL_9.replace(missing="zero")
    True
    >>> parse_conventions("ties=averaged,gain=exp") == Conventions(ties="averaged", parameters={"gain": "exp"})
    True
    """
    tool, *choices = text.split(",")
    if "=" in tool:
        tool, choices = "idealist", [tool, *choices]
    if tool not in PRESETS:
        from difflib import get_close_matches

        names = f"name one of: {', '.join(PRESETS)}"
        close = get_close_matches(tool.lower(), PRESETS, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}? Otherwise {names}" if close else names
        raise InputError(f"no conventions are called {tool!r}", hint=hint)
    conventions = PRESETS[tool].conventions
    for choice in choices:
        name, equals, value = (part.strip() for part in choice.partition("="))
        if not equals:
            raise InputError(
                f"{text!r}: {choice!r} is not choice=value", hint="for example trec_eval-9,missing=zero"
            )
        changes = (
            {name: value} if name in CHOICES else {"parameters": {**conventions.parameters, name: value}}
        )
        conventions = conventions.replace(**changes)
    return conventions


read_late(Conventions)
read_late(as_conventions)


def match_options(conventions: Conventions, depth: int | None = None) -> kernels.MatchOptions:
    as_conventions(conventions)
    return kernels.MatchOptions(
        ties=conventions.ties,
        remove_unjudged=conventions.unjudged == "removed",
        single_precision=conventions.precision == "single",
        negative_unjudged=conventions.negative == "unjudged",
        depth=depth,
    )
