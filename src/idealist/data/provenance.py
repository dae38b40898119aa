"""Where data came from, and a digest of its content."""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.wording import count_of, count_queries
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from idealist.data.collection import Collection
    from idealist.data.judgments import RichJudgments

BLOCK = 1 << 24
# A run that was not kept, and has more rows, is read again for its digest only when that is asked for itself.
MOST_READ_AGAIN = 50_000_000


class Provenance(Frozen):
    """The origin of a run or of judgments: `kind`, `name`, `source` (a file, if it came from one), how many
    `rows` and `queries`, and the `sha256` of the content.

    `digest` is the SHA-256, or what finds it when it is first asked for: of a run that was measured while it
    was read, by reading it again; None for what came in a pipe and was not kept.
    """

    kind: str
    name: str
    source: str | None
    rows: int
    queries: int
    digest: str | Callable[[], str] | None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the content, whatever the order of its rows and the format they were in."""
        if self.digest is None:
            raise InputError(
                "this was read from a pipe and not stored, so there is no SHA-256 of it",
                source=self.source or self.name,
                hint="give it as a file, or read it into a Run first",
            )
        if not isinstance(self.digest, str):
            self.__dict__["digest"] = self.digest()
        assert isinstance(self.digest, str)
        return self.digest

    @property
    def affordable_sha256(self) -> str | None:
        """The SHA-256, but None where it cannot be had, or not without reading a very large run again."""
        is_large = not isinstance(self.digest, str) and self.kind == "run" and self.rows > MOST_READ_AGAIN
        if self.digest is None or is_large:
            return None
        try:
            return self.sha256
        except InputError:  # the file is gone, or another
            return None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "source": self.source,
            "rows": self.rows,
            "queries": self.queries,
            "sha256": self.affordable_sha256,
        }

    def __getstate__(self) -> dict[str, Any]:
        # The digest itself: what finds it holds the run.
        return {**self.__dict__, "digest": self.affordable_sha256}

    def _key(self) -> tuple[object, ...]:
        digest = None if self.digest is None else self.sha256
        return (self.kind, self.name, self.source, self.rows, self.queries, digest)

    def __str__(self) -> str:
        queries = count_queries(self.queries)
        sha256 = self.affordable_sha256
        return f"{self.source or self.name} · {count_of(self.rows, 'row')} · {queries}" + (
            f" · sha256 {sha256[:12]}" if sha256 else ""
        )

    def __repr__(self) -> str:
        digest_text = "(when asked for)" if callable(self.digest) else repr(self.digest)
        return (
            f"Provenance(kind={self.kind!r}, name={self.name!r}, source={self.source!r}, rows={self.rows}, "
            f"queries={self.queries}, sha256={digest_text})"
        )


def sha256_of(rows: kernels.Rows, kind: str) -> str:
    """The SHA-256, in hex, of what rows say: the kind, a line end, and the rows in bytewise order of their
    queries and documents. A row is the query's and the document's UTF-8, each after its size in four bytes,
    and the number in eight (IEEE 754), the lowest byte first. A query without documents is its name and four bytes of 255."""
    from hashlib import sha256

    digest = sha256(f"{kind}\n".encode())
    threads, query, queries = kernels.available_threads(), 0, rows.query_count()
    while query < queries:
        block, query = rows.canonical(query, BLOCK, threads)
        digest.update(block)
    return digest.hexdigest()


def provenance_of_rich(judgments: RichJudgments) -> Provenance:
    """That of judgments that say more than one grade; the rows are those of their plain form."""

    def digest() -> str:
        import json
        from hashlib import sha256

        return sha256(
            f"{judgments.need.name}\n{json.dumps(judgments.content(), sort_keys=True)}".encode()
        ).hexdigest()

    plain = judgments.plain()
    return Provenance(
        judgments.need.name,
        getattr(judgments, "name", plain.name),
        getattr(judgments, "source", None),
        len(plain.rows),
        len(plain),
        digest,
    )


class Sources(Frozen):
    """Where the values of an evaluation came from: its judgments, the run of each system, and the tables of numbers
    that were measured elsewhere. None for judgments where there are none, or evaluations of different ones were put
    together."""

    judgments: Provenance | None
    runs: Mapping[str, Provenance]
    numbers: tuple[Provenance, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "judgments": self.judgments and {"kind": self.judgments.kind, **self.judgments.to_dict()},
            "runs": {system: {"kind": run.kind, **run.to_dict()} for system, run in self.runs.items()},
            **({"numbers": [table.to_dict() for table in self.numbers]} if self.numbers else {}),
        }


def provenance_of(collection: Collection, *, name: str | None = None) -> Provenance:
    """That of a run or judgments in memory."""
    return Provenance(
        collection.kind,
        collection.name if name is None else name,
        collection.source,
        len(collection.rows),
        len(collection),
        lambda: collection.sha256,
    )
