"""What is wrong with a request, as an error with a message and a hint, and as the status of the answer."""

from __future__ import annotations

from idealist.errors import IdealistError, InputError
from idealist.web.people.sessions import TooManyFailures
from idealist.web.store.database import StorageError, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def reworded(error: InputError, reword: Callable[[str], str], *, before: str = "") -> InputError:
    """The same error in other words, about the same place."""
    said = InputError(f"{before}{reword(error.message)}", hint=reword(error.hint), code=error.code)
    said.source = None if error.source is None else reword(error.source)
    said.line = error.line
    return said


def problem_of(error: IdealistError | OSError) -> IdealistError:
    """The error to show: what the operating system says is about the folder of files."""
    return storage_error(error) if isinstance(error, OSError) else error


def status_of(problem: IdealistError) -> int:
    """429 after too many failed logins, 503 where nothing can be stored now, otherwise 422."""
    if isinstance(problem, TooManyFailures):
        return 429
    return 503 if isinstance(problem, StorageError) else 422
