"""pytrec_eval's names over Idealist: `import idealist.drop_ins.pytrec_eval as pytrec_eval`.

The values and their names are those of trec_eval 9, as pytrec-eval-terrier gives them; numbers of any type and
real grades work too. Values are Idealist's own, which round in another place for these measures, so that they may differ
from pytrec_eval's in the last bits (a few 1e-16 of the value, more where thousands of documents are added up):

- ndcg, ndcg_cut, ndcg_rel, Rndcg: gains are multiplied by 1 / log2(rank + 1), not divided by log2(rank + 1).
- 11pt_avg: precisions are added from recall 0 up, not from recall 1 down.
- set_F: (1 + x) · hits / (x · relevant + retrieved), not (1 + x) · P · R / (x · P + R).
- infAP: (1 + pooled above · share) / rank at a hit, not 1 / rank + (rank - 1) / rank · (pooled above / (rank - 1)) · share.
- gm_map, gm_bpref: log2(value) · log(2), not log(value).

All others are equal to the last bit. `idealist trec-eval` computes as trec_eval does. Equal values here would take a second
pass over the ranked documents.

Code that imports pytrec_eval itself runs on this module once it stands in for it:

    sys.modules["pytrec_eval"] = idealist.drop_ins.pytrec_eval
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import log

from idealist import kernels
from idealist.base.values import as_id
from idealist.conventions import match_options
from idealist.data import Judgments, Rankings, Run
from idealist.drop_ins.trec_eval import measure_catalogue as catalogue
from idealist.drop_ins.trec_eval.plain_values import MEASURES, SMALLEST, UTILITIES, Queries
from idealist.errors import InputError, UnknownMeasure
from idealist.measures.naming import DEFAULT_PARAMETERS, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.drop_ins.trec_eval.measure_catalogue import Column
    from idealist.kernels import Values
    from idealist.measures import Measure

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

# The release of pytrec-eval-terrier that this module stands in for; ir_measures asks whether there is one.
__version__ = "0.5.11"

supported_nicknames: dict[str, set[str]] = {
    nickname: set(names) for nickname, names in catalogue.supported_nicknames(9).items()
}
supported_measures: set[str] = set(supported_nicknames["all_trec"])

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_NUMBERS = re.compile(rf"[._]({_NUMBER}(?:,{_NUMBER})*)")
_GAINS = re.compile(rf"[._]({_NUMBER}={_NUMBER}(?:,{_NUMBER}={_NUMBER})*)")


class UnfitData(InputError, TypeError):
    """Data or an argument of the wrong kind: an InputError that is caught as pytrec_eval's TypeError too."""


class DuplicateDocument(InputError, AssertionError):
    """A document twice in a query: an InputError that is caught as pytrec_eval's AssertionError too."""


class RelevanceEvaluator:
    """Measures runs against judgments: {query: {document: grade}}.

    `measures` are trec_eval's names and nicknames, with parameters behind a dot or an underscore.

    >>> evaluator = RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"recip_rank", "P_5,10", "ndcg_cut.10"})
    >>> evaluator.evaluate({"q": {"b": 2.0, "a": 1.5}, "unjudged": {"a": 1.0}})
    {'q': {'recip_rank': 0.5, 'P_5': 0.2, 'P_10': 0.1, 'ndcg_cut_10': 0.6309297535714575}}
    """

    __slots__ = ("_conventions", "_judgments", "_measures")

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        level = _level(relevance_level)
        if not hasattr(judged_docs_only_flag, "__index__") or judged_docs_only_flag not in (0, 1):
            raise UnfitData(f"judged_docs_only_flag must be True or False, not {judged_docs_only_flag!r}")
        self._measures = [
            column
            for name, parameters in _requested(measures).items()
            for column in _asked(name, parameters, level)
        ]
        self._conventions = catalogue.CONVENTIONS[9].replace(missing="zero")
        if judged_docs_only_flag:  # documents with a negative grade are removed like those without one
            self._conventions = self._conventions.replace(unjudged="removed", negative="unjudged")
        self._judgments = _judged(query_relevance)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{query: {measure: value}} of the judged queries that a run, {query: {document: score}}, has."""
        rows = self._judgments.rows
        if not scores or not len(rows):
            return {}
        if not isinstance(scores, Mapping):
            raise UnfitData(
                f"a run must be {{query: {{document: score}}}}, not a {type(scores).__name__}",
                hint="parse_run makes one from the lines of a file",
            )
        options = match_options(self._conventions)
        native = kernels.match_dict(scores, rows, options) if isinstance(scores, dict) else None
        queries: Mapping[str, Any] = scores
        if native is None:
            run, queries = _plain(scores)
            native = kernels.match(run.rows, rows, options, kernels.available_threads())
        rankings = Rankings(native, self._conventions)
        names = [name for name, _, _ in self._measures]
        values = [_values(column, measure, rankings) for _, column, measure in self._measures]
        result = kernels.values_by_query(queries, rows, names, values)
        return (
            result
            if queries is scores
            else {queries[text]: query_values for text, query_values in result.items()}
        )


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """{query: {document: score}} from the lines of a TREC run.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])["q1"]
    {'d1': 2.5}
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for number, query, document, score in _rows(f_run, run, 6, 4, "query Q0 document rank score system"):
        try:
            run[query][document] = float(score)
        except ValueError:
            raise InputError(
                f"line {number}: the score is {score!r}, not a number",
                hint="query Q0 document rank score system",
            ) from None
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """{query: {document: grade}} from the lines of TREC judgments.

    >>> parse_qrel(["q1 0 d1 2"])["q1"]
    {'d1': 2}
    """
    judgments: dict[str, dict[str, int]] = defaultdict(dict)
    for number, query, document, grade in _rows(f_qrel, judgments, 4, 3, "query iteration document grade"):
        try:
            judgments[query][document] = int(grade)
        except ValueError:
            raise InputError(
                f"line {number}: the grade is {grade!r}, not a whole number",
                hint="idealist.read_judgments reads real grades",
            ) from None
    return judgments


def _rows(
    lines: Iterable[str], read_so_far: Mapping[str, Mapping[str, object]], count: int, at: int, layout: str
) -> Iterator[tuple[int, str, str, str]]:
    """The number of every line, its query, its document, and the text of column `at`; `read_so_far` is what the lines
    before it gave."""
    for number, line in enumerate(lines, 1):
        columns = line.split()
        if len(columns) != count:
            raise InputError(f"line {number}: expected {count} columns, found {len(columns)}", hint=layout)
        query, document = columns[0], columns[2]
        if document in read_so_far[query]:
            raise DuplicateDocument(
                f"line {number}: document {document!r} appears twice for query {query!r}",
                hint="keep one of the lines",
            )
        yield number, query, document, columns[at]


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """What trec_eval makes of the values of all queries: the sum of counts, the geometric mean of what gm_map
    and gm_bpref give (logarithms), the mean of all else.

    >>> compute_aggregated_measure("num_ret", [3.0, 4.0]), compute_aggregated_measure("map", [0.5, 1.0])
    (7.0, 0.75)
    """
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    if measure.startswith("num_"):
        return float(numbers.sum())
    mean = float(numbers.sum()) / len(numbers) if len(numbers) else float("nan")
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


def _level(level: Any) -> int:
    if not hasattr(level, "__index__") or level < 1:
        raise UnfitData(f"relevance_level is {level!r}", hint="it is a whole number, at least 1")
    return int(level.__index__())


def _judged(judgments: Any) -> Judgments:
    """The judgments of every query that has any."""
    if not isinstance(judgments, Mapping):
        raise UnfitData(
            f"judgments are {{query: {{document: grade}}}}, not a {type(judgments).__name__}",
            hint="parse_qrel makes them from the lines of a file",
        )
    try:
        if not all(judgments.values()):
            _refuse_lists(judgments)
            judgments = {query: grades for query, grades in judgments.items() if grades}
        return Judgments(_refuse_lists(judgments))
    except (InputError, TypeError) as error:
        raise UnfitData(getattr(error, "message", str(error)), hint=getattr(error, "hint", "")) from None


def _plain(scores: Mapping[Any, Any]) -> tuple[Run, dict[str, Any]]:
    """A run that holds anything but exact strings, floats and dicts; and its queries as they were given."""
    try:
        return Run(_refuse_lists(scores)), {as_id(query, "run: a query's id"): query for query in scores}
    except InputError as error:
        raise UnfitData(error.message, hint=error.hint) from None


def _refuse_lists(queries: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """What Run and Judgments take, but pytrec_eval does not: lists of ids."""
    for query, documents in queries.items():
        if not isinstance(documents, Mapping):
            raise UnfitData(
                f"query {query!r}: expected {{document: number}}, found {type(documents).__name__}"
            )
    return queries


def _requested(measures: Iterable[str]) -> dict[str, str]:
    """trec_eval's measures that names and nicknames ask for, in its order, with the parameters of each."""
    if isinstance(measures, (str, bytes)):
        raise InputError(f"measures must be a list of names, not {measures!r}", hint=f"write [{measures!r}]")
    if not isinstance(measures, Iterable):
        raise UnfitData(
            f"measures must be names, not {measures!r}", hint='for example {"map", "ndcg_cut_10"}'
        )
    parameters_of: dict[str, dict[str, None]] = defaultdict(dict)
    for measure in measures:
        if not isinstance(measure, str):
            raise UnfitData(f"a measure must be named by text, not by {measure!r}", hint='for example "map"')
        for name in supported_nicknames.get(measure, (measure,)):
            base, parameters = _split(name)
            if base is None:
                raise UnknownMeasure(
                    f"unsupported measure {name}" + (f" (of {measure})" if name != measure else ""),
                    hint="supported_measures lists them",
                )
            values = parameters.split(",") if base in DEFAULT_PARAMETERS else [parameters]
            parameters_of[base].update(dict.fromkeys(filter(None, values)))
    for base, stated in parameters_of.items():
        if base not in DEFAULT_PARAMETERS and len(stated) > 1:
            raise InputError(
                f"{base} is asked for with {' and with '.join(stated)}, and both would have the same name",
                hint="make an evaluator for each",
            )
    return {
        name: ",".join(parameters_of[name])
        for name in catalogue.supported_measures(9)
        if name in parameters_of
    }


def _split(name: str) -> tuple[str | None, str]:
    """The measure that a name begins with, and the parameters behind it."""
    if name in supported_measures:
        return name, ""
    for base in supported_measures:
        if not name.startswith(base):
            continue
        match = _NUMBERS.fullmatch(name, len(base))
        if match is None and base in catalogue.PAIRS:
            match = _GAINS.fullmatch(name, len(base))
        if match is not None:
            return base, match[1]
    return None, ""


@lru_cache(maxsize=512)
def _asked(name: str, parameters: str, level: int) -> tuple[tuple[str, Column, Measure | None], ...]:
    """What pytrec_eval calls the values of one of trec_eval's measures, and our measure for each; None for texts,
    and for parameters that only trec_eval knows what to do with, such as a recall of 2."""
    try:
        columns = catalogue.columns_of(name, parameters or None, 9, level)
    except InputError as error:
        raise InputError(
            f"{name} cannot have the parameters {parameters}: {error.message}",
            hint="cut-offs are above 0, each once; gains are grade=gain",
        ) from None
    if name == "utility" and len(columns[0].parameter or UTILITIES) != len(UTILITIES):
        raise InputError(f"utility cannot have the parameters {parameters}", hint="it takes four numbers")
    return tuple(
        (column.name if name in DEFAULT_PARAMETERS else name, column, column.measure) for column in columns
    )


def _values(column: Column, measure: Measure | None, rankings: Rankings) -> Values:
    """What pytrec_eval gives for each query: 0 for texts, logarithms for geometric means."""
    if column.base in TEXTS:
        return kernels.retrieved(rankings.native, None) * 0.0
    if measure is None or column.base == "utility":  # it has no collection to take utility's rest from
        queries = Queries(rankings.native, 9, column.level, 0, rankings.threads)
        return MEASURES[column.base](queries, column.parameter).filled(0.0)
    values = measure.values_with_conventions(rankings)
    if column.base == "Rndcg":  # 0 where nothing reaches the level, though it looks at all grades
        return values.where_positive(kernels.relevant(rankings.native, column.level)).filled(0.0)
    if column.summary == "geometric":
        return values.maximum(SMALLEST).log2() * log(2)
    return values
