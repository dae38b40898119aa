"""Text that is not UTF-8: its likely encoding, and its conversion to UTF-8.

UTF-16 with its mark is read as it is. Any other encoding has to be named, and what is not UTF-8 without that is an error:
ids that were read by the wrong encoding match nothing, or the wrong thing.
"""

from __future__ import annotations

import codecs
import re

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# By what stands first; a mark says more than whoever names an encoding.
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # it begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SAMPLE = 1 << 16
SHORTEST = 2  # bytes of most characters beyond ASCII where words are written in them
# The first bytes of the most frequent characters, in encodings of words without ASCII letters: hanzi of the first level,
# Russian letters.
FREQUENT = {"gbk": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "cp1251": (0xC0, 0xFF)}
KANA = "\u3040", "\u30ff"
MUCH_KANA = 0.2
NEARLY_ALL, ENOUGH = 0.9, 4


def known_encoding(name: str) -> str:
    """The name of an encoding of text, checked.

    >>> known_encoding("Windows-1252")
    'cp1252'
    """
    try:
        codec = codecs.lookup(name)
        "".encode(name)  # and not a codec of bytes, such as hex
    except (LookupError, ValueError):
        raise InputError(
            f"there is no encoding {name!r}", hint="for example cp1252 (Windows), gbk, shift_jis, utf-16"
        ) from None
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


def encoding_of(
    head: bytes, stated: str | None, is_binary: Callable[[bytes], bool] | None = None
) -> str | None:
    """The encoding of data that begins so, to be made UTF-8; None if it is read as it is, as what `is_binary` is."""
    marked = next((name for mark, name in MARKS.items() if head.startswith(mark)), None)
    encoding = marked or stated
    if encoding in (None, "utf-8") or (marked is None and is_binary is not None and is_binary(head)):
        return None
    if encoding == "utf-16" and marked is None:  # the zeros of ASCII characters come first, or second
        return "utf-16-be" if head[:1] == b"\0" else "utf-16-le"
    return encoding


def transcoded(blocks: Iterator[bytes], encoding: str, source: str) -> Iterator[bytes]:
    """Blocks of text in an encoding, in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for block in blocks:
        text = _decoded(decoder, block, False, encoding, line, source).encode()
        line += text.count(b"\n")
        yield text
    yield _decoded(decoder, b"", True, encoding, line, source).encode()


def _decoded(
    decoder: codecs.IncrementalDecoder, block: bytes, last: bool, encoding: str, line: int, source: str
) -> str:
    try:
        text = decoder.decode(block, last)
        text.encode()
        return text
    except UnicodeDecodeError as error:
        before = bytes(error.object[: error.start])
        line += before.decode(encoding, "replace").count("\n")
        likely = likely_encoding(bytes(error.object))
    except UnicodeEncodeError as error:  # half of a surrogate pair
        line += str(error.object)[: error.start].count("\n")
        likely = "utf-8"
    raise InputError(
        f"this is not {encoding}, though its first bytes or --encoding (encoding=) say so",
        source=source,
        line=line,
        hint=f"it is likely {likely}",
    ) from None


def checked(blocks: Iterator[bytes], source: str) -> Iterator[bytes]:
    """The blocks, checked: what is not UTF-8 is an InputError."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    for block in blocks:
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            line += bytes(error.object[: error.start]).count(b"\n")
            raise not_utf8(line, bytes(error.object), source) from None
        line += block.count(b"\n")
        yield block
    try:
        decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        raise not_utf8(line, bytes(error.object), source) from None


def decoded(content: bytes, source: str) -> str:
    """Text in UTF-8, without its mark."""
    return b"".join(checked(iter([content]), source)).decode("utf-8-sig")


def not_utf8(line: int, sample: bytes, source: str) -> InputError:
    """The error about text in another encoding, which a sample of it tells."""
    likely = likely_encoding(sample)
    return InputError(
        f"this is not UTF-8 text; it is likely {likely}",
        source=source,
        line=line,
        hint=f"name its encoding: --encoding {likely}, or encoding={likely!r} in Python; or save it as UTF-8",
        code="not-utf8",
    )


def wide_encoding(sample: bytes) -> str | None:
    """The encoding of text whose characters take two or four bytes, by where its zeros stand; None for other data.

    >>> [wide_encoding("query,document".encode(name)) for name in ("utf-16-le", "utf-32-be", "ascii")]
    ['utf-16-le', 'utf-32-be', None]
    """
    start = re.split(rb"[\x80-\xff]", sample[:SAMPLE], maxsplit=1)[
        0
    ]  # what is behind may have been read as cp1252
    sample = start if len(start) >= ENOUGH * 4 else sample[:SAMPLE]
    sample = sample[: len(sample) // 4 * 4]
    if not sample:
        return None
    zeros = "".join("0" if sample[at::4].count(0) * 8 > len(sample) else "-" for at in range(4))
    names = {"-0-0": "utf-16-le", "0-0-": "utf-16-be", "-000": "utf-32-le", "000-": "utf-32-be"}
    return names.get(zeros)


def binary_hint(sample: bytes, otherwise: str) -> str:
    """A hint about data with zeros in it: its encoding, if it is text."""
    encoding = wide_encoding(sample)
    if encoding is None:
        return otherwise
    return f"it looks like {encoding}: give --encoding {encoding}, or encoding={encoding!r} in Python"


def likely_encoding(sample: bytes) -> str:
    """The encoding that text beyond ASCII most looks like. Where letters beyond ASCII stand alone, it is that of
    western Windows; else the one in which most characters are common ones.

    >>> likely_encoding("café, crème".encode("cp1252")), likely_encoding("口红 礼盒".encode("gbk"))
    ('cp1252', 'gbk')
    """
    sample = sample[:SAMPLE]
    if (wide := wide_encoding(sample)) is not None:
        return wide
    runs = re.findall(rb"[\x80-\xff]+", sample)
    if _share(sample, "shift_jis", lambda character: KANA[0] <= character <= KANA[1]) > MUCH_KANA:
        return "shift_jis"  # whose second bytes may be ASCII
    if sum(len(run) < SHORTEST for run in runs) * 2 >= len(runs):
        big5 = len(runs) >= ENOUGH and _share(sample, "big5", _is_frequent("big5")) > NEARLY_ALL
        return "big5" if big5 else "cp1252"  # the second bytes of Big5 may be ASCII, too
    shares = {encoding: _share(sample, encoding, _is_frequent(encoding)) for encoding in FREQUENT}
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] > 0 else "cp1252"


def _is_frequent(encoding: str) -> Callable[[str], bool]:
    first, last = FREQUENT[encoding]
    return lambda character: first <= character.encode(encoding)[0] <= last


def _share(sample: bytes, encoding: str, counts: Callable[[str], bool]) -> float:
    """The share of characters that count, among those beyond ASCII; 0 if the sample is not in this encoding."""
    try:
        # Not to the last byte: it may be within a character.
        text = [
            character
            for character in codecs.getincrementaldecoder(encoding)().decode(sample)
            if character > "\x7f"
        ]
    except UnicodeDecodeError:
        return 0.0
    return sum(map(counts, text)) / len(text) if text else 0.0
