"""Judgments of a stratified sample: `query iteration document stratum grade`, where a grade below 0 says that the
document was not sampled."""

from __future__ import annotations

from idealist.data.sampled import SampledJudgments
from idealist.errors import InputError
from idealist.io.judgment_tables import read_keyed
from idealist.io.sources import origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_strata(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> SampledJudgments:
    """Judgments of a stratified sample: TREC text, or a table (any that read_table reads) with the columns query,
    document, stratum and grade. The other arguments are those of read_judgments."""
    if isinstance(source, SampledJudgments):
        return source
    _, keyed = read_keyed(
        source,
        ("strata",),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
    )
    origin = origin_of(source)
    queries = {query: _documents(rows, query, origin.get("source")) for query, rows in keyed.items()}
    return SampledJudgments(queries, **origin)


def _documents(
    rows: Mapping[tuple[str, ...], float], query: str, source: str | None
) -> dict[str, tuple[str, float | None]]:
    documents: dict[str, tuple[str, float | None]] = {}
    for (document, stratum), grade in rows.items():
        if document in documents:
            raise InputError(
                f"document {document!r} appears twice for query {query!r}, "
                f"in the strata {documents[document][0]!r} and {stratum!r}",
                source=source,
                hint="keep one of the two lines",
            )
        documents[document] = stratum, None if grade < 0 else grade
    return documents


def strata_text(judgments: SampledJudgments) -> str:
    """The TREC text that such judgments are read from: -1 where a document was not sampled."""
    lines = []
    for query, documents in judgments.items():
        for document, (stratum, grade) in documents.items():
            for text in (query, document, stratum):
                if text.split() != [text]:
                    raise InputError(
                        f"query {query!r}, document {document!r}: TREC text cannot carry ids that are empty or "
                        "have white space in them",
                        hint="rename it in the runs",
                    )
            lines.append(f"{query} 0 {document} {stratum} {-1 if grade is None else _grade_text(grade)}\n")
    return "".join(lines)


def _grade_text(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(grade)
