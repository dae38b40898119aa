"""Notes on an evaluation: what was left out, undefined, or not judged, and ids that do not match."""

from __future__ import annotations

from collections import Counter

from idealist import kernels
from idealist.base.values import ABOVE_ZERO, ANY_GRADE
from idealist.base.wording import count_of, count_queries
from idealist.data.id_spelling import Spelled, differ_in, difference, plain, readings
from idealist.data.run import Run, UnreadRun
from idealist.errors import InputError
from idealist.evaluation.aggregates import ENDS, NAN, follows_grades
from idealist.measures import Judged, Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from idealist.conventions import Conventions
    from idealist.data import Judgments, Rankings, RichJudgments

    Kind = tuple[tuple[str, ...], str]


SAMPLE = 2_000  # documents of the run that are looked at


def advice_on_ids(run: object, judgments: Judgments, *, encoding_alone: bool = False) -> str:
    """How many ids would meet, and what joins them; "" where none would. With `encoding_alone`, of those that differ in
    their encoding."""
    found = _differences(_sample(run), judgments)
    if encoding_alone:
        found = Counter({kind: count for kind, count in found.items() if "encoding" in kind[0]})
    return _advice(found)


def _sample(run: object) -> Mapping[str, Iterable[str]]:
    if isinstance(run, (Run, UnreadRun)):
        return run.first_ids(SAMPLE)
    return run if isinstance(run, dict) else {}


def _differences(sample: Mapping[str, Iterable[str]], judgments: Judgments) -> Counter[Kind]:
    """How many ids of the sample that are not judged would be, by what they differ in: spellings, and for that of
    another encoding which."""
    found: Counter[Kind] = Counter()
    queries = Spelled(judgments)
    left = SAMPLE
    for query, documents in sample.items():
        judged_query = query if query in judgments else queries.find(str(query))
        if left <= 0:
            break
        if judged_query is None:
            left -= 1
            continue
        if judged_query != query:
            found.update(_kinds(str(query), judged_query))
        judged_documents, retrieved = judgments[judged_query], set(documents)
        spelled = Spelled(document for document in judged_documents if document not in retrieved)
        for document in documents:
            left -= 1
            if document not in judged_documents and (like := spelled.find(str(document))) is not None:
                found.update(_kinds(str(document), like))
            if left <= 0:
                break
    return found


def _kinds(text: str, judged: str) -> Iterator[Kind]:
    names = difference(text, judged)
    if names == ("encoding",):
        meant = (encoding for encoding, reading in readings(text) if plain(reading) == plain(judged))
        is_bytes = any("\udc80" <= letter <= "\udcff" for letter in text)
        yield names, next(meant, "") if is_bytes else ""
    elif names:
        yield names, ""


def _advice(found: Counter[Kind]) -> str:
    """How many ids would meet, and what joins them."""
    if not found:
        return ""
    (names, encoding), count = found.most_common(1)[0]
    remedy = (
        f"--encoding run={encoding} (encoding={encoding!r} of read_run)"
        if encoding
        else f"`idealist check --judgments JUDGMENTS RUN --fix COPY --join-ids {','.join(names)}`"
    )
    return (
        f": of the first {SAMPLE:,} at least {count_of(count, 'id')} would meet, which differ only in "
        f"{differ_in(names)}; {remedy} joins them"
    )


FEW = 0.03  # of what could meet: a system that is this bad is rarer than ids that are written in two ways


def refuse_or_note(judgments: RichJudgments, measures: Sequence[Measure]) -> list[str]:
    """Notes on measures of one grade with richer judgments; an error where these have no such grade."""
    notes = judgments.remarks()
    plain = [measure for measure in measures if measure.needs.one_grade]
    if not plain:
        return notes
    if judgments.note is None:
        raise InputError(
            f"{plain[0]} needs one grade per document, and these are {judgments.need.description}",
            hint="give judgments with lines of `query iteration document grade`",
        )
    return [*notes, judgments.note]


def judged_shares(
    measures: Sequence[Measure], rankings: dict[str, Rankings]
) -> dict[int | None, dict[str, float]]:
    """The share of judged documents down to each measure's cut-off; lower shares mean less certain values."""
    depths = {
        measure.depth
        for measure in measures
        if measure.needs.one_grade and measure.aggregate != "sum" and measure.depth != 0
    }
    shares: dict[int | None, dict[str, float]] = {}
    for k in sorted(depths, key=lambda depth: (depth is None, depth or 0)):
        # A query that the run lacks has no documents to be judged.
        judged = Judged(k=k)
        values = {
            name: judged.values_with_conventions(system_rankings).without(system_rankings.native.missing())
            for name, system_rankings in rankings.items()
        }
        shares[k] = {
            name: by_query.sum() / by_query.count() if by_query.count() else NAN
            for name, by_query in values.items()
        }
    return shares


def note_parameters(requested: Sequence[object], conventions: Conventions) -> list[str]:
    """Measures given as objects that have parameters from the conventions, because they state none."""
    return [
        f"{measure!r} is measured as {completed}: the conventions set the parameters that it does not state"
        for measure in requested
        if isinstance(measure, Measure)
        and (completed := measure.with_unstated(conventions.parameters)) != measure
    ]


def note_order(measures: Sequence[Measure], conventions: Conventions) -> list[str]:
    """Measures for which the best order of ties by grade need not give the best value, nor the worst the worst."""
    if conventions.ties not in ENDS:
        return []
    return [
        f"{measure}: ties={conventions.ties} orders by grade, which need not be the extreme of this measure"
        for measure in measures
        if measure.one_grade and not follows_grades(measure)
    ]


def missing_queries(count: int, conventions: Conventions) -> str:
    """What is said of so many queries that the run does not have."""
    empty = "an empty ranking" if count == 1 else "empty rankings"
    treatment = "skipped" if conventions.missing == "skip" else f"counted as {empty}"
    return f"{count_queries(count)} judged but not in the run, {treatment}"


def note_queries(name: str, rankings: Rankings, *, by_machine: bool = False) -> list[str]:
    """Queries that only the run, or only the judgments have; `by_machine` says that the former are judged by a machine."""
    notes = []
    missing = len(rankings.native.missing())
    if missing:
        notes.append(f"{name}: {missing_queries(missing, rankings.conventions)}")
    unjudged_queries = rankings.run_queries - (len(rankings) - missing)
    if unjudged_queries > 0 and not by_machine:
        notes.append(f"{name}: {count_queries(unjudged_queries)} in the run but not judged, not measured")
    return notes


def note_empty(rankings: Rankings, measures: Sequence[Measure]) -> list[str]:
    """Queries to which nothing judged is relevant; they are the same for all runs."""
    empty = len(rankings.native.empty())
    if not empty or not any(m.needs.one_grade and m.aggregate != "sum" for m in measures):
        return []
    treatment = {"zero": "counted as 0", "one": "counted as 1"}.get(rankings.conventions.empty, "left out")
    return [
        f"{count_queries(empty)} judged, but with nothing relevant: {treatment} where a measure is undefined"
    ]


def note_fractions(rankings: Rankings, measures: Sequence[Measure]) -> list[str]:
    """Grades between 0 and 1, which do not reach the level that a measure has where none was stated."""
    binary = [
        measure
        for measure in measures
        if getattr(measure, "level", None) == 1 and not measure.states("level")
    ]
    if not binary:
        return []
    above_zero = kernels.relevant(rankings.native, ABOVE_ZERO).sum()
    fractions = round(above_zero - kernels.relevant(rankings.native, 1.0).sum())
    if not fractions:
        return []
    names = ", ".join(map(str, binary[:3])) + (", …" if len(binary) > 3 else "")
    return [
        f"{count_of(fractions, 'grade')} between 0 and 1: not relevant in {names}, where a grade of 1 or more is; level=… "
        "states another"
    ]


def note_undefined(name: str, rankings: Rankings, measures: Sequence[Measure]) -> list[str]:
    """Measures that are undefined for more queries than have nothing relevant."""
    treatment = {"zero": "counted as 0", "one": "counted as 1"}.get(rankings.conventions.empty)
    if treatment is None:
        return []
    empty = len(rankings.native.empty())
    return [
        f"{name}: {measure} is undefined for {count_queries(undefined)}, {treatment}"
        for measure in measures
        if measure.aggregate != "pooled"  # whose number is not made of what queries count as
        and (undefined := rankings.undefined.get(measure, 0)) > empty
    ]


NONE_JUDGED = "none of its retrieved documents is judged"
DOCUMENTS_MEET = "document ids that could meet a judged one do"
QUERIES_MEET = "query ids are judged ones"


def spoils_numbers(note: str) -> bool:
    """Whether a note says that hardly any ids meet: then the numbers mean nothing, and it stands before them."""
    return any(words in note for words in (NONE_JUDGED, DOCUMENTS_MEET, QUERIES_MEET))


def note_unmatched(name: str, rankings: Rankings) -> list[str]:
    """That ids hardly meet, or that some differ in their encoding alone; and what joins them."""
    matched = len(rankings) - len(rankings.native.missing())
    if rankings.judgments is None or not matched:
        return []
    few = _few_documents(name, rankings) or _few_queries(name, rankings, matched)
    if not few and not _beyond_ascii(rankings.judgments):
        return []

    advice = advice_on_ids(rankings.run, rankings.judgments, encoding_alone=not few)
    if few:
        return [few + (advice or "; `idealist check` tells whether both write ids alike")]
    return [f"{name}: not all ids are written in one encoding{advice}"] if advice else []


def _few_documents(name: str, rankings: Rankings) -> str:
    native = rankings.native
    met = kernels.hits(native, ANY_GRADE, None, rankings.threads).sum()
    retrieved, judged = kernels.retrieved(native, None), kernels.relevant(native, ANY_GRADE)
    if not met:
        return f"{name}: {NONE_JUDGED}"
    if met >= FEW * min(retrieved.sum(), judged.sum()):  # at least what could meet
        return ""
    possible = retrieved.minimum(judged).sum()
    if met >= FEW * possible:
        return ""
    return f"{name}: {met:,.0f} of {possible:,.0f} {DOCUMENTS_MEET}"


def _few_queries(name: str, rankings: Rankings, matched: int) -> str:
    possible = min(len(rankings), rankings.run_queries)
    return f"{name}: {matched:,} of {possible:,} {QUERIES_MEET}" if matched < FEW * possible else ""


def _beyond_ascii(judgments: Judgments) -> bool:
    count, _, queries = kernels.ids_beyond_ascii(judgments.rows, 0)
    return bool(count or queries)
