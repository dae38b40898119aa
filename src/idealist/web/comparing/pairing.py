"""Two runs compared: computed once for each content, in the background, and the queries that a reader selects."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.comparison.comparing import compare
from idealist.errors import InputError
from idealist.measures import parse
from idealist.web.base.result_cache import ResultCache
from idealist.web.comparing.run_values import judged_queries, stored_judgments
from idealist.web.projects.project_sources import judgments_of, list_sources, query_texts, segments_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from idealist.comparison import Comparison, Contrast
    from idealist.comparison.verdict import Verdict
    from idealist.web.comparing.run_values import Question
    from idealist.web.projects.project_sources import Source
    from idealist.web.workbench import Workbench

SEGMENTS = ("", "column", "words", "relevant")
_comparisons = ResultCache(64)
_verdicts = ResultCache(64)


class Pairing(Frozen):
    """Which two runs are compared, by what, and by which segments of queries (one of SEGMENTS)."""

    project: int
    asked: Question
    baseline: Source
    system: Source
    segments: str = ""
    texts: str = ""  # the content that the words and the segments of queries come from

    @property
    def key(self) -> Hashable:
        """All that the numbers come from, by content; names are there because results show them."""
        runs = ((run.name, run.stored) for run in (self.baseline, self.system))
        asked = self.asked
        return (
            "compare",
            asked.judgments,
            asked.conventions_key,
            *asked.names(),
            *runs,
            self.segments,
            self.texts,
        )


class ComparedQuery(Frozen):
    """A query of both runs; `place` is that in the order of gains, the largest first, from 1."""

    place: int
    query: str
    baseline: float
    value: float
    difference: float


class Selection(Frozen):
    """Which queries are meant: by the values of either run, by difference, by place; None: all of them."""

    baseline: tuple[float, float] | None = None
    value: tuple[float, float] | None = None
    places: tuple[float, float] | None = None
    least: float | None = None
    most: float | None = None

    def has(self, query: ComparedQuery) -> bool:
        """Whether a query is among them; the ends are.

        >>> Selection(least=0.1).has(ComparedQuery(1, "q", 0.5, 0.7, 0.2))
        True
        """
        limits = (
            (self.baseline, query.baseline),
            (self.value, query.value),
            (self.places, query.place),
            ((-1e300 if self.least is None else self.least, 1e300), query.difference),
            ((-1e300, 1e300 if self.most is None else self.most), query.difference),
        )
        return all(ends is None or ends[0] <= number <= ends[1] for ends, number in limits)

    @property
    def empty(self) -> bool:
        """Whether nothing is selected, and so everything shown."""
        return self == Selection()


def pairing(
    workbench: Workbench,
    project: int,
    asked: Question,
    runs: Sequence[Source],
    baseline: str,
    system: str,
    segments: str = "",
) -> Pairing:
    """Two runs of a project by name: by default its first two."""
    if segments not in SEGMENTS:
        raise InputError(f"{segments!r} is not a way to segment queries", hint="column, words or relevant")
    by_name = {run.name: run for run in runs}
    first = baseline or next((run.name for run in runs if run.name != system), "")
    second = system or next((run.name for run in runs if run.name != first), "")
    for name in (first, second):
        if name not in by_name:
            raise InputError(
                f"there is no run {name!r}" if name else "two runs are needed to compare",
                hint=f"the runs are {', '.join(by_name)}",
            )
    if first == second:
        raise InputError(
            f"{first!r} cannot be compared with itself", hint="choose another run", code="same-run"
        )
    texts = ""
    if segments in ("column", "words"):
        texts = "".join(
            source.content_sha256 for source in list_sources(workbench.database, project, "queries")
        )
    return Pairing(project, asked, by_name[first], by_name[second], segments, texts)


def comparison_of(workbench: Workbench, pair: Pairing, patience: float | None = None) -> Comparison:
    """The comparison; StillComputing where it takes longer than `patience` seconds."""
    comparison: Comparison = _comparisons.computed(
        workbench, pair.key, lambda: _compare(workbench, pair), patience
    )
    return comparison


def _compare(workbench: Workbench, pair: Pairing) -> Comparison:
    judgments = stored_judgments(workbench.files.path(pair.asked.judgments))
    files = {run.name: workbench.files.path(run.stored) for run in (pair.baseline, pair.system)}
    comparison = compare(
        judgments,
        files,
        pair.asked.measures,
        baseline=pair.baseline.name,
        conventions=pair.asked.conventions,
        segments=query_segments(workbench, pair),
    )
    for contrast in comparison:
        _ = contrast.gain_interval  # inverting tests takes its time: here, not while a page is made
    return comparison


def query_segments(workbench: Workbench, pair: Pairing) -> dict[str, str] | None:
    """The segment of every judged query: that of the file of queries, how many words it has, or how many documents are
    relevant to it."""
    if not pair.segments:
        return None
    if pair.segments == "column":
        by_query = segments_of(workbench.database, pair.project)
        if not by_query:
            raise InputError(
                "the queries have no segments",
                hint="add a file of queries with the columns query, text and segment",
            )
        return by_query
    queries = judged_queries(workbench, pair.asked.judgments)
    if pair.segments == "words":
        texts = query_texts(workbench.database, pair.project, queries)
        return {
            query: _counted(len(texts.get(query, query).split()) or 1, (1, 2, 3), "word") for query in queries
        }
    judgments = stored_judgments(workbench.files.path(pair.asked.judgments))
    return {
        query: _counted(
            sum(grade > 0 for grade in judgments[query].values()), (0, 1, 5, 20), "relevant document"
        )
        for query in queries
    }


def _counted(count: int, ends: Sequence[int], noun: str) -> str:
    """The class of a count: each ends at one of `ends`, the first of which is the least that there is; the last is open.

    >>> [_counted(count, (0, 1, 5), "word") for count in (0, 1, 4, 9)]
    ['0 words', '1 word', '2–5 words', '6 or more words']
    """
    low = ends[0]
    for end in ends:
        if count <= end:
            shown = str(end) if low == end else f"{low}–{end}"
            return f"{shown} {noun if end == 1 else noun + 's'}"
        low = end + 1
    return f"{low} or more {noun}s"


def verdict_of(comparison: Comparison, margin: str) -> Verdict | None:
    """The verdict on the first measure; none where no value of it is better than another."""
    if comparison.measures[0].better == "neither":
        return None
    return comparison.verdict(margin=margin.strip() or None)


def awaited_verdict(
    workbench: Workbench, pair: Pairing, comparison: Comparison, margin: str, patience: float
) -> Verdict | None:
    """The verdict; StillComputing where it takes longer than `patience` seconds: how many queries would decide takes a
    while where there are many."""
    key = ("verdict", margin.strip(), pair.key)
    (verdict,) = _verdicts.computed(workbench, key, lambda: (verdict_of(comparison, margin),), patience)
    return verdict  # type: ignore[no-any-return]


def contrast_of(comparison: Comparison, measure: str) -> Contrast:
    """The contrast of one of the measures: the first, unless another is named."""
    chosen = parse(measure) if measure else comparison.measures[0]
    return comparison[
        comparison.systems[0], chosen if chosen in comparison.measures else comparison.measures[0]
    ]


def compared_queries(contrast: Contrast) -> list[ComparedQuery]:
    """All queries, the largest gain first."""
    paired = contrast.paired
    rows = zip(paired.queries, paired.baseline_values, paired.values, paired.differences, strict=True)
    ordered = sorted(rows, key=lambda row: (-contrast.sign * row[3], row[0]))
    return [
        ComparedQuery(place, query, float(baseline), float(value), float(difference))
        for place, (query, baseline, value, difference) in enumerate(ordered, 1)
    ]


def comparable_runs(workbench: Workbench, project: int) -> tuple[Source | None, list[Source]]:
    """The judgments and the runs of a project."""
    return judgments_of(workbench.database, project), list_sources(workbench.database, project, "run")
