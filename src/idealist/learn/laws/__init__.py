"""Laws that every loss of rankings should keep, to be run on ours and on anybody's."""

from __future__ import annotations

from idealist.base.public_names import public_names
from idealist.learn.libraries import missing_library

__all__, _public_name, __dir__ = public_names(__name__)


def __getattr__(name: str) -> object:
    try:
        return _public_name(name)
    except ModuleNotFoundError as error:
        raise missing_library(f"idealist.learn.laws.{name}", error) from None
