"""TREC text of a stratified sample: `query iteration document stratum grade`, where a grade below 0 says that
the document was not sampled."""

from __future__ import annotations

import os

from idealist.data.sampled import SampledJudgments
from idealist.errors import InputError
from idealist.io.trec import fields, file_name, read_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels


def read_strata(
    path: str | os.PathLike[str], *, encoding: str | None = None, threads: int | None = None
) -> SampledJudgments:
    """Judgments of a stratified sample from a TREC file, plain or gzip; `encoding` is that of read_judgments."""
    rows = read_rows(path, "strata", threads, encoding)
    source = os.fspath(path)
    queries = {query: _documents(rows, query, source) for query in rows.queries()}
    return SampledJudgments(queries, name=file_name(path), source=source)


def _documents(rows: kernels.Rows, query: str, source: str) -> dict[str, tuple[str, float | None]]:
    documents: dict[str, tuple[str, float | None]] = {}
    for key, grade in (rows.documents(query) or {}).items():
        document, stratum = fields(key)
        if document in documents:
            raise InputError(
                f"document {document!r} is there twice for query {query!r}, "
                f"in the strata {documents[document][0]!r} and {stratum!r}",
                source=source,
                hint="keep one of the two lines",
            )
        documents[document] = stratum, None if grade < 0 else grade
    return documents


def strata_text(judgments: SampledJudgments) -> str:
    """The same text from judgments: -1 where a document was not sampled."""
    lines = []
    for query, documents in judgments.items():
        for document, (stratum, grade) in documents.items():
            for one in (query, document, stratum):
                if one.split() != [one]:
                    raise InputError(
                        f"query {query!r}, document {document!r}: TREC text cannot carry ids that are empty or "
                        "have blanks in them",
                        hint="rename it in the runs",
                    )
            lines.append(f"{query} 0 {document} {stratum} {-1 if grade is None else _shown(grade)}\n")
    return "".join(lines)


def _shown(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(grade)
