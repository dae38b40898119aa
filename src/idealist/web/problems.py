"""What is wrong with a request, as an error with a message and a hint, and as the status of the answer."""

from __future__ import annotations

from idealist.errors import IdealistError
from idealist.web.people.sessions import TooManyFailures
from idealist.web.store.database import StorageError, storage_error


def problem_of(error: IdealistError | OSError) -> IdealistError:
    """The error to show: what the operating system says is about the folder of files."""
    return storage_error(error) if isinstance(error, OSError) else error


def status_of(problem: IdealistError) -> int:
    """429 after too many failed logins, 503 where nothing can be stored now, otherwise 422."""
    if isinstance(problem, TooManyFailures):
        return 429
    return 503 if isinstance(problem, StorageError) else 422
