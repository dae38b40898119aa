"""JSON files of models: read with errors that say what is missing, written in one go."""

from __future__ import annotations

import json

from idealist.base.wording import reason_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a string"}


def read_json(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the file is damaged or cut short: {reason_of(error)}", source=path, hint="write the model again"
        ) from None


def required(record: Any, key: str, kind: type, source: str | None = None) -> Any:
    """What an object has under a key; an error where it is missing or of another kind."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise InputError(
            f"{key!r} is not {KINDS[kind]} here: {str(value)[:60]!r}"
            if value is not None
            else f"{key!r} is missing",
            source=source,
            hint="the file is damaged, or not a model",
        )
    return value


def write_json(record: Any, path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        json.dump(record, file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")
