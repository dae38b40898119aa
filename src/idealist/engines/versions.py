"""The versions of Python and Idealist, which workers must share with whoever sends them work."""

from __future__ import annotations

import platform

from idealist import __version__
from idealist.errors import InputError


def own_versions() -> tuple[str, str]:
    """Those of this process: Python's and Idealist's."""
    return platform.python_version(), __version__


def refuse_other_versions(python: str, idealist: str) -> None:
    """Raises where this worker has another Idealist, or another minor version of Python, than the driver.

    >>> refuse_other_versions(*own_versions())
    >>> refuse_other_versions(own_versions()[0], "2.9.9")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    idealist.errors.InputError: an executor has Idealist ..., the driver has 2.9.9
    hint: install the same version on both, or send the environment with --archives (docs/scale.md)
    """
    own_python, own_idealist = own_versions()
    if idealist != own_idealist:
        raise InputError(
            f"an executor has Idealist {own_idealist}, the driver has {idealist}",
            hint="install the same version on both, or send the environment with --archives (docs/scale.md)",
        )
    if python.split(".")[:2] != own_python.split(".")[:2]:
        raise InputError(
            f"an executor has Python {own_python}, the driver has {python}",
            hint="set PYSPARK_PYTHON or spark.pyspark.python to the same version on both",
        )
