"""What can go wrong, as one tree."""

from __future__ import annotations


class IdealistError(Exception):
    """The root of every error that Idealist raises on purpose."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InputError(IdealistError, ValueError):
    """Data or an argument that cannot be right; `source` and `line` say where, when it came from a file."""

    def __init__(
        self, message: str, *, hint: str = "", source: str | None = None, line: int | None = None
    ) -> None:
        place = repr(source) if source == "" else source or ""
        if line is not None:
            place += f", line {line}"
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.source = source
        self.line = line


class UnknownMeasure(InputError):
    """A name that no measure answers to."""


class MissingDependency(IdealistError, ImportError):
    """An optional package that this call needs is not installed."""
