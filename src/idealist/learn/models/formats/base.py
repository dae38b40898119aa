"""What a format of model files is: how it is recognised, read and written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base import Model

HEAD = 1 << 16  # how much of a file is looked at to recognise its format


class ModelFormat:
    """A format: one object of a class derived from this one, called FORMAT in the module of the format."""

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

    def rehearse(self, model: Model, path: str, **options: Any) -> None:
        """Writes a small model before a large one is trained: whatever `write` would raise, this raises."""
        self.write(model, path, **options)

    def write(self, model: Model, path: str, **options: Any) -> None:
        """Writes a model to a path that nobody else looks at: `save_model` puts the whole file in its place."""
        raise NotImplementedError
