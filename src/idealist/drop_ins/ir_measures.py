"""A provider for ir_measures: its interface and its measures, computed here.

    import ir_measures
    from idealist.drop_ins.ir_measures import register

    register()                                            # from here on, for every call
    ir_measures.calc_aggregate([nDCG@10, AP], qrels, run)

`provider.calc_aggregate(…)` is the same without registering, and `Idealist(conventions)` a provider under other
conventions. ir_measures knows no entry points, so that one call is needed.

Values are those of ir_measures' own providers, with these exceptions:

- One rule for ties, trec_eval's, holds for every measure; its providers have four, and RR@10 can be above RR.
- Every parameter is taken: RR with judged_only and a cut-off, NumRel with rel, ERR and exp-log2 without a cut-off
  and with ids that are no numbers, judged_only with subtopics, several alphas or levels in one call.
- A document that is judged more than once, as for several subtopics, counts with its highest grade in measures of
  one grade; there, with the grade of the last line.
- Compat does not count documents that were not retrieved as if their score were 0.
- Accuracy is left out where it is undefined, also beside other measures and where all documents are relevant.
"""

from __future__ import annotations

from itertools import pairwise

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.values import as_id
from idealist.conventions import TREC_EVAL_9
from idealist.data import Judgments, match
from idealist.data.grouped import GroupedJudgments
from idealist.data.needs import GROUPS
from idealist.errors import InputError, MissingDependency
from idealist.measures import Measure, parse
from idealist.measures.cwl import UserModel
from idealist.measures.families.expectations import (
    ExpectedCost,
    ExpectedDepth,
    ExpectedTotalCost,
    ExpectedTotalUtility,
)
from idealist.measures.families.pairs import Accuracy
from idealist.measures.families.recall_levels import IPrec

try:
    import ir_measures
    from ir_measures.providers.base import NOT_PROVIDED
    from ir_measures.util import QrelsConverter, RunConverter
except ImportError:
    raise MissingDependency("this provider is for ir_measures", hint="pip install ir-measures") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.needs import Need

__all__ = ["Idealist", "provider", "register"]

# pytrec_eval, which most of ir_measures' measures come from, is trec_eval 9.
LIKE_TREC_EVAL_9 = TREC_EVAL_9.replace(missing="zero")
# What ir_measures' own cwl_eval provider says beside a user model's value, in its order.
EXPECTATIONS: tuple[Any, ...] = (ExpectedTotalUtility, ExpectedCost, ExpectedTotalCost, ExpectedDepth)

# Those of its user models that pytrec_eval computes first.
TREC_EVALS = ("P", "RR", "AP")
NAN = float("nan")


class Idealist(ir_measures.Provider):  # type: ignore[misc]
    """Computes every measure of ir_measures; `conventions` are those of trec_eval 9 unless others are given.

    >>> from ir_measures import RR
    >>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    >>> Idealist().calc_aggregate([RR, RR@10], qrels, run)
    {RR: 0.5, RR@10: 0.5}
    """

    NAME = "idealist"

    def __init__(self, conventions: Conventions = LIKE_TREC_EVAL_9) -> None:
        super().__init__()
        self.conventions = conventions

    def supports(self, measure: Any) -> bool:
        measure.validate_params()
        try:
            _asked(measure)
        except InputError:
            # Taken where no other provider would: then the error says what to do about it.
            return _is_own(measure) and self._is_last(measure)
        return True

    def _is_last(self, measure: Any) -> bool:
        """Whether this is registered, and none of the others computes the measure."""
        providers = ir_measures.DefaultPipeline.providers
        others = [provider_of for provider_of in providers if provider_of is not self]
        return len(others) < len(providers) and not any(
            provider_of.supports(measure) and provider_of.is_available() for provider_of in others
        )

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels, self.conventions)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        inputs: list[str] = super().qrel_inputs(measures)
        by_group = any(_asked(measure).ours.needs == GROUPS for measure in measures)
        return [*inputs, "iteration"] if by_group else inputs


class _OurMeasure(Frozen):
    """A measure of ir_measures as it is here: the measure, and how the rankings are to be seen for it."""

    ours: Measure
    judged_only: bool
    gains: tuple[tuple[float, float], ...]
    max_grade: float | None


def _is_own(measure: Any) -> bool:
    return type(measure).__module__.startswith("ir_measures.measures.")


def _asked(measure: Any) -> _OurMeasure:
    if not _is_own(measure):
        raise InputError(
            f"{measure} is not one of ir_measures' own measures", hint="its own provider computes it"
        )
    if measure.NAME == "RBP" and measure["rel"] is NOT_PROVIDED:
        raise InputError(f"{measure}: the highest grade is not known", hint="state rel, as in RBP(rel=1)")
    parameters = dict(measure.params)
    judged_only = bool(parameters.pop("judged_only", False))
    gains = tuple(sorted((parameters.pop("gains", None) or {}).items()))
    relative = parameters.pop("relative", False)
    text = str(type(measure)(**parameters))
    ours = parse(text.replace("SetP", "SetRelP", 1) if relative else text)
    if isinstance(ours, IPrec):
        ours = ours.replace(cut="nine-tenths")  # as in trec_eval 9
    return _OurMeasure(ours, judged_only, gains, parameters.get("max_rel"))


class _Evaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """The judgments, made ready once for all runs."""

    def __init__(self, measures: list[Any], qrels: Any, conventions: Conventions) -> None:
        self._conventions = conventions.replace(missing="zero", empty="zero")
        self._asked = [(measure, _asked(measure)) for measure in measures]
        by_group = any(translated.ours.needs == GROUPS for _, translated in self._asked)
        judged, groups = _judgments(qrels, by_group)
        self._judgments = Judgments(judged, name="qrels")
        self._tables = {GROUPS: GroupedJudgments(groups, name="qrels")} if by_group else {}
        # As they were given: a query may be a number.
        names = {as_id(query, "qrels: a query's id"): query for query in judged}
        self._queries = [names[query] for query in self._judgments]
        super().__init__(measures, set(judged))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """A metric for every measure and judged query, with the measure's default where the run lacks the query;
        for user models what else cwl_eval says."""
        for measure, rows in self._rows(run, EXPECTATIONS):
            for query, *numbers in rows:
                kind = ir_measures.Metric if len(numbers) == 1 else ir_measures.CwlMetric
                yield kind(query, measure, *numbers)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """One number for every measure: the mean over queries, or the sum of counts."""
        aggregates = {}
        for measure, rows in self._rows(run):
            aggregator = measure.aggregator()
            for _, value in rows:
                aggregator.add(value)
            aggregates[measure] = aggregator.result()
        return aggregates

    def _rows(
        self, run: Any, expectations: tuple[Any, ...] = ()
    ) -> Iterator[tuple[Any, list[tuple[Any, ...]]]]:
        """For every measure, the queries with their value and, for user models, what is wanted beside it."""
        scores = _scores(run)
        judged = set(self._judgments)
        if not any(as_id(query, "run: a query's id") in judged for query in scores):
            for measure, translated in self._asked:
                rows = [(query, measure.DEFAULT) for query in self._queries]
                yield measure, [] if isinstance(translated.ours, Accuracy) else rows
            return
        views = _Views(scores, self._judgments, self._conventions, self._tables)
        for measure, translated in self._asked:
            rankings = views.rankings(translated)
            is_model = isinstance(translated.ours, UserModel) and measure.NAME not in TREC_EVALS
            further_values = [
                expectation(of=translated.ours).values_with_conventions(rankings)
                for expectation in expectations
                if is_model
            ]
            undefined = isinstance(translated.ours, Accuracy)
            values = (
                translated.ours.values(rankings)
                if undefined
                else translated.ours.values_with_conventions(rankings)
            )
            rows = list(zip(self._queries, values, *further_values, strict=True))
            for position in views.missing:
                rows[position] = (self._queries[position], NAN if undefined else measure.DEFAULT)
            yield measure, [row for row in rows if row[1] == row[1]] if undefined else rows


class _Views:
    """The rankings of a run, as each measure is to see them."""

    def __init__(
        self, scores: Any, judgments: Judgments, conventions: Conventions, tables: Mapping[Need, Any]
    ) -> None:
        self._scores = scores
        self._judgments = judgments
        self._conventions = conventions
        self._tables = tables
        self._made: dict[Any, Rankings] = {}
        self.missing = self._matched(False).native.missing()

    def rankings(self, translated: _OurMeasure) -> Rankings:
        matched = self._matched(translated.judged_only)
        gains = dict(translated.gains)
        levels = matched.native.levels()
        table = [(level, gains.get(level, level)) for level in levels]
        if translated.max_grade is not None:  # as in ir_measures, a grade above counts as the highest
            table = [(level, min(grade, translated.max_grade)) for level, grade in table]
        if all(level == grade for level, grade in table):
            return matched
        key = (translated.judged_only, tuple(table))
        if key not in self._made:
            self._made[key] = matched.replaced(
                kernels.regraded(matched.native, kernels.Gain("table", True, table))
            )
        return self._made[key]

    def _matched(self, judged_only: bool) -> Rankings:
        if judged_only not in self._made:
            conventions = self._conventions
            if judged_only:  # a negative grade says that the document was not judged, as trec_eval -J has it
                conventions = conventions.replace(unjudged="removed", negative="unjudged")
            matched = match(self._judgments, self._scores, conventions)
            matched.tables = self._tables
            self._made[judged_only] = matched
        return self._made[judged_only]


def _judgments(qrels: Any, by_group: bool) -> tuple[Any, dict[Any, dict[Any, dict[Any, Any]]]]:
    """{query: {document: grade}} and, if wanted, {query: {subtopic: {document: grade}}}."""
    converter = QrelsConverter(qrels)
    if converter.predict_type()[0] == "dict_of_dict":
        return qrels, {query: {"0": documents} for query, documents in qrels.items()} if by_group else {}
    judged: dict[Any, dict[Any, Any]] = {}
    groups: dict[Any, dict[Any, dict[Any, Any]]] = {}
    for row in converter.as_namedtuple_iter():
        documents = judged.setdefault(row.query_id, {})
        documents[row.doc_id] = max(row.relevance, documents.get(row.doc_id, row.relevance))
        if by_group:
            query_groups = groups.setdefault(row.query_id, {})
            query_groups.setdefault(getattr(row, "iteration", "0"), {})[row.doc_id] = row.relevance
    return judged, groups


def _scores(run: Any) -> Any:
    """{query: {document: score}}, by columns where there are some."""
    converter = RunConverter(run)
    if converter.predict_type()[0] != "pd_dataframe":
        return converter.as_dict_of_dict()
    import numpy as np

    codes, queries = run["query_id"].factorize()
    if len(codes) and codes.min() < 0:
        raise InputError(
            f"run: row {codes.argmin()} has no query_id", hint="fill it in, or leave the row out"
        )
    documents, scores = run["doc_id"].tolist(), run["score"].tolist()
    borders = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)] if len(codes) else [0]
    by_query: list[dict[Any, Any]] = [{} for _ in queries]
    for begin, end in pairwise(borders):
        by_query[codes[begin]].update(zip(documents[begin:end], scores[begin:end], strict=True))
    return dict(zip(queries.tolist(), by_query, strict=True))


provider = Idealist()


def register() -> Idealist:
    """Puts the provider before all others: `ir_measures.calc_aggregate` and its kin compute by Idealist from now
    on, and the command `ir_measures` knows `--provider idealist`. Measures that it does not have, such as those
    defined at run time, are computed as before."""
    ir_measures.providers.registry[provider.NAME] = provider
    providers = ir_measures.DefaultPipeline.providers
    providers[:] = [provider, *(registered for registered in providers if registered is not provider)]
    return provider
