"""Templates of prompts and requests, as commands read them."""

from __future__ import annotations

from idealist.errors import InputError


def template_text(path: str) -> str:
    """The text of a file with a template."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise InputError(
            f"the template cannot be read: {error.strerror}", source=path, hint="check the path"
        ) from None
    except UnicodeDecodeError:
        raise InputError(
            "the template cannot be read: this is not text in UTF-8", source=path, hint="save it as UTF-8"
        ) from None
