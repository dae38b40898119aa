"""What measures need besides runs and plain judgments, read by the reader that each need names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.needs import Need


def read_needed(need: Need, source: Any, **options: Any) -> Any:
    """What a need's reader makes of a file, a frame or an object.

    >>> from idealist.data.needs import ITEMS
    >>> read_needed(ITEMS, {"item": ["a", "b"], "popularity": [3, 1]})
    <Items: 2 items; item, popularity>
    """
    from idealist import io

    return getattr(io, need.reader)(source, **options)


def needed_columns(need: Need, columns: Mapping[str, str] | None) -> dict[str, str]:
    """What `columns` says of the judgments that are needed: where each further column is a grade, of their ids alone."""
    from idealist.data.stated_columns import columns_of

    stated = columns_of(columns, "judgments")
    return {role: name for role, name in stated.items() if not need.columns or role in ("query", "document")}
