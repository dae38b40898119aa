"""What a format of model files is: how it is recognised, read and written; and JSON files, read with errors that say what is missing."""

from __future__ import annotations

import json

from idealist.base.wording import reason_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base_model import Model


HEAD = 1 << 16  # how much of a file is looked at to recognise its format


class ModelFormat:
    """A format: one object of a class derived from this one, called by the format's name, in capitals."""

    name: str
    label: str  # in messages: "this is {label}"
    about: str  # what it holds, for the documentation
    endings: tuple[str, ...] = ()  # of files that are written in it
    options: tuple[str, ...] = ()  # what `write` takes besides the model and the path

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins so is in this format."""
        return False

    def read(self, path: str) -> Model:
        """The model in a file. What is not whole or cannot be a model is an InputError that names the file."""
        raise NotImplementedError

    def takes(self, model: Model) -> bool:
        """Whether a model can be written in this format."""
        return False

    def try_write(self, model: Model, path: str, **options: Any) -> None:
        """Writes a small model before a large one is trained: whatever `write` would raise, this raises."""
        self.write(model, path, **options)

    def write(self, model: Model, path: str, **options: Any) -> None:
        """Writes a model to a path that nobody else looks at: `save_model` puts the whole file in its place."""
        raise NotImplementedError


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
