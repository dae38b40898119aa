"""TREC text the plain way: a reader in ten lines, and lines that cannot be read."""

from __future__ import annotations

from pathlib import Path

PIECE = 1 << 19  # what one core reads at a time


def plain_reader(text: bytes, columns: int, document: int, number: int) -> dict[str, dict[str, float]]:
    """What the native reader must give for well-formed text."""
    rows: dict[str, dict[str, float]] = {}
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        fields = line.split()
        if not fields:
            continue
        assert len(fields) == columns
        query, doc = (fields[i].decode("utf-8", "surrogateescape") for i in (0, document))
        assert doc not in rows.setdefault(query, {})
        rows[query][doc] = float(fields[number])
    return rows


def write(path: Path, text: bytes) -> Path:
    path.write_bytes(text)
    return path


BAD = [
    (b"", None, "the file is empty"),
    (b"\n\n  \n", None, "the file is empty"),
    (b"q Q0 a 1 0.5\n", 1, "expected 6 columns, found 5: 'q Q0 a 1 0.5'"),
    (b"q Q0 a 1 0.5 t extra\n", 1, "expected 6 columns, found 7"),
    (
        b"q Q0 a 1 0.5 t\n\nq Q0 b 1 high t\nq x\nq y\n",
        3,
        r"the score is not a number: 'high' \(and 2 more bad lines\)",
    ),
    (b"q Q0 a 1 nan t\n", 1, "the score is not a number: 'nan'"),
    (b"q Q0 a 1 1 t\nq Q0 b 1 9007199254740993 t\n", 2, "the score is 9007199254740993, more digits than a"),
    (b"q Q0 a 1 -0009007199254740993 t\n", 1, "the score is -0009007199254740993, more digits than a"),
    (b"q Q0 a 1 1" + b"0" * 400 + b" t\n", 1, "the score is 1000.*, more digits than a float holds"),
    (b"q Q0 a 1 0x1A t\n", 1, "the score is not a number: '0x1A'"),
    (b"q Q0 a 1 1,5 t\n", 1, "the score is not a number: '1,5'"),
    (b"q Q0 a 1 - t\n", 1, "the score is not a number: '-'"),
    (b"q Q0 a 1 --5 t\n", 1, "the score is not a number"),
    (b"q Q0 a 1 . t\n", 1, "the score is not a number"),
    (b"q Q0 a 1 1.2.3 t\n", 1, "the score is not a number"),
    (b"q Q0 a 1 12345678901.2x t\n", 1, "the score is not a number"),
    (
        b"q Q0 a 1 5 t\nr Q0 a 1 5 t\nq Q0 b 2 4 t\n\nq Q0 a 3 3 t\n",
        5,
        "document 'a' appears twice for query 'q', first on line 1",
    ),
    (b"q Q0 a 1 5 t\nq Q0 \0 2 4 t\n", 2, "this is binary data, not text"),
    (b"PK\x03\x04 anything", None, "this is zip data, which cannot be read"),
    (b"q\0 Q0", 1, "binary data"),
    (b"\x01\x02 junk\n\0\0\xff\n", 1, "binary data"),
]
