"""Ids that are meant to be the same and are written in two ways: the ways, and ids that each would join."""

from __future__ import annotations

import re

from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Spelling(Frozen):
    """One way in which equal ids come to be written differently. `differ` completes "ids that differ only in …"."""

    name: str
    differ: str
    same: Callable[[str], str]

    @property
    def code(self) -> str:
        """The code of the finding of `check`."""
        return f"id-{self.name}"


# Letters of other scripts that look like Latin ones.
LATIN = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιαν",
    "ABESIJKMHOPCTXYaeijopcyxshdqwABEZHIKMNOPTYXoiav",
)
# Encodings that TREC text is often in where it is not UTF-8.
ENCODINGS = ("gbk", "gb18030", "big5", "shift_jis", "euc_kr", "cp1251", "cp1252")
MISREAD_AS = (
    "cp1252",
    "latin-1",
    "gbk",
    "gb18030",
)  # what UTF-8 was taken for where it became other characters
CAPITALS = re.compile("[A-Z]+")
ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
DECIMAL = re.compile(r"\A([0-9]+)\.0+\Z")
QUOTES = ('""', "''", "“”", "‘’", "「」", "``")


def _visible(text: str) -> str:
    """The text without characters of no width: joiners, marks of order or direction, soft hyphens."""
    from unicodedata import category

    return text if text.isascii() else "".join(letter for letter in text if category(letter) != "Cf")


def _composed(text: str) -> str:
    """The text in the normal form in which full-width digits are digits and accents stand with their letters."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFKC", text)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 2 and text[0] + text[-1] in QUOTES else text


def _unescaped(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Readings of an id if it was written or read in another encoding, with that encoding's name. Bytes that are not
    UTF-8 stand in ids as Python's surrogates.

    >>> list(readings("口红".encode("gbk").decode("utf-8", "surrogateescape")))[0]
    ('gbk', '口红')
    >>> list(readings("cafÃ©"))[0]  # UTF-8 that was read as cp1252
    ('cp1252', 'café')
    """
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogateescape")
        for encoding in ENCODINGS:
            try:
                yield encoding, raw.decode(encoding)
            except UnicodeDecodeError:
                continue
        return
    for encoding in MISREAD_AS:
        try:
            yield encoding, text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue


def _unread(text: str) -> str:
    """The text itself: which encoding is right, only an id to meet can tell."""
    return text


SPELLINGS = {
    spelling.name: spelling
    for spelling in (
        Spelling("blanks", "white space around them, no-break space included", str.strip),
        Spelling("invisible", "characters that have no width, such as a byte order mark", _visible),
        Spelling("quotes", "quotation marks around them", _unquoted),
        Spelling("percent", "percent-encoding, as in URLs", _unescaped),
        Spelling("unicode", "how their characters are written: NFC, NFD, full width", _composed),
        Spelling("script", "letters of other scripts that look alike", lambda text: text.translate(LATIN)),
        Spelling("decimal", "“.0” behind a whole number", lambda text: DECIMAL.sub(r"\1", text)),
        Spelling("zeros", "zeros before a number", lambda text: ZEROS.sub("", text) if "0" in text else text),
        Spelling("case", "the case of letters", str.casefold),
        Spelling("encoding", "the encoding they were written in", _unread),
    )
}


def plain(text: str, names: tuple[str, ...] = tuple(SPELLINGS)) -> str:
    """The id as all the spellings that are named would have it.

    >>> plain("\\u200b“０07.0”"), plain("D%2F01"), plain("007", ("case",))
    ('7', 'd/1', '007')
    """
    for name in names:
        text = SPELLINGS[name].same(text)
    return text


def difference(first: str, second: str) -> tuple[str, ...]:
    """The names of all the spellings that two ids differ in, as few as explain it; none where they differ in more.

    >>> difference("7", "7.0"), difference("Q7", "“q7”"), difference("a", "b")
    (('decimal',), ('quotes', 'case'), ())
    """
    if first == second:
        return ()
    if names := _needed(first, second):
        return names
    firsts, seconds = ([text, *(reading for _, reading in readings(text))] for text in (first, second))
    found = [needed for one in firsts for other in seconds if (needed := _needed(one, other)) is not None]
    return (*min(found, key=len), "encoding") if found else ()


def _needed(first: str, second: str) -> tuple[str, ...] | None:
    """The spellings without which two ids are not equal; None where they are not with all."""
    names = tuple(name for name in SPELLINGS if name != "encoding")
    if plain(first) != plain(second):
        return None
    for name in names:
        if plain(first, (name,)) == plain(second, (name,)):
            return () if first == second else (name,)
    for name in reversed(names):
        fewer = tuple(other for other in names if other != name)
        if plain(first, fewer) == plain(second, fewer):
            names = fewer
    return names


def differ_in(names: Sequence[str]) -> str:
    """The difference between ids in words, by the names of the spellings.

    >>> differ_in(("quotes", "case"))
    'quotation marks around them; the case of letters'
    """
    return "; ".join(SPELLINGS[name].differ for name in names)


class Spelled:
    """Ids as they are written, to be found by others that are meant to be the same.

    >>> judged = Spelled(["7", "08", "口红"])
    >>> judged.find("7.0"), judged.find("8"), judged.find("9")
    ('7', '08', None)
    """

    def __init__(self, ids: Iterable[str] = (), names: tuple[str, ...] = tuple(SPELLINGS)) -> None:
        self._names = names
        self._of: dict[str, str] = {}
        for text in ids:
            self.add(text)

    def add(self, text: str) -> None:
        for key in self._keys(text):
            self._of.setdefault(key, text)

    def find(self, text: str) -> str | None:
        """The first id that this one may be meant to be; itself, where it is among them."""
        for key in self._keys(text):
            if key in self._of:
                return self._of[key]
        return None

    def _keys(self, text: str) -> Iterator[str]:
        yield text
        yield plain(text, self._names)
        if "encoding" in self._names:
            for _, reading in readings(text):
                yield plain(reading, self._names)
