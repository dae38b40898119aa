"""The tree of errors."""

from __future__ import annotations

LONGEST = 2_000  # characters of a message: what is quoted may be a whole file
# Control characters, ends of lines, and the marks that turn the direction of writing.
UNSEEN = {
    code: repr(chr(code))[1:-1]
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x2028,
        0x2029,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
}


def visible(text: str) -> str:
    """Text with its control characters written out, so that it can neither command a terminal nor end a line.

    >>> print(visible("a\\x1b[2Jb"))
    a\\x1b[2Jb
    """
    return text if text.isprintable() else text.translate(UNSEEN)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Text without its middle where it is longer than that."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest * 3 // 4]} … ({left_out:,} characters left out) … {text[-(longest // 4) :]}"


def _lines(text: str) -> str:
    """A message within bounds; its own ends of lines are kept."""
    return shortened(text if text.isprintable() else "\n".join(map(visible, text.split("\n"))))


class IdealistError(Exception):
    """The root of every error that Idealist raises on purpose.

    `code` says in a word what is wrong, where a reader of another language is told so.
    """

    code = ""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        message = _lines(message)
        super().__init__(message)
        self.message = message
        self.hint = _lines(hint)
        if code:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InputError(IdealistError, ValueError):
    """Data or an argument that cannot be right; `source` and `line` say where, when it came from a file."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        source: str | None = None,
        line: int | None = None,
        code: str = "",
    ) -> None:
        location = repr(source) if source == "" else source or ""
        if line is not None:
            location += f", line {line}"
        super().__init__(f"{location}: {message}" if location else message, hint=hint, code=code)
        self.source = source
        self.line = line


def located(error: InputError, source: str) -> InputError:
    """An error said of a file; one that names its file already is as it was.

    >>> print(located(InputError("no rows"), "a.run"))
    a.run: no rows
    """
    if error.source is not None:
        return error
    return InputError(error.message, source=source, hint=error.hint, code=error.code)


class UnknownMeasure(InputError):
    """A name that no measure has."""

    code = "unknown-measure"


class MissingDependency(IdealistError, ImportError):
    """An optional package that this call needs is not installed."""
