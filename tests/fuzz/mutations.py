"""Bytes changed at random, as damage and strange programs would."""

from __future__ import annotations

from random import Random

ODD = (
    b"\0", b"\r", b"\n", b"\r\n", b"\t", b" ", b"::", b",", b'"', b"'", b"{", b"}", b"[", b"]", b":", b"#", b"=", b";",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xed\xa0\x80", b"\x1b[2J", b"nan", b"inf", b"-inf", b"1e400", b"-0", b"1_000",
    b"9007199254740993", b"9" * 400, b"null", b"true", b"\\u0000", b"\\ud800", b"qid:", b"docid", b"query", b"score",
    b"\x1f\x8b", b"BZh", b"PAR1", b"ARROW1", b"SQLite format 3\0",
)  # fmt: skip
MOST = 1 << 16  # bytes of a mutated sample


def mutated(sample: bytes, others: list[bytes], random: Random) -> bytes:
    """A sample with one to eight changes."""
    data = bytearray(sample)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 1, 2, 8, 64)))
        change = random.randrange(8)
        if change == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif change == 1 and at < len(data):
            data[at] = random.randrange(256)
        elif change == 2:
            del data[at:end]
        elif change == 3:
            data[at:at] = data[at:end] * random.choice((1, 2, 50))
        elif change == 4:
            data[at:at] = random.choice(ODD)
        elif change == 5:
            data[at:end] = random.choice(ODD)
        elif change == 6:
            del data[at:]
        else:
            other = random.choice(others)
            begin = random.randrange(len(other) + 1)
            data[at:at] = other[begin : begin + random.choice((4, 32, 256))]
    return bytes(data[:MOST])
