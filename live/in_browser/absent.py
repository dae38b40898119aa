"""What the Python of a page lacks, in words."""

from __future__ import annotations

NAMES = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch", "sklearn": "scikit-learn"}
ELSEWHERE = "It runs where Idealist is installed (pip install idealist)."


def absent_package(error: BaseException) -> str | None:
    """A sentence for an error that says that a package is not here; None for any other error.

    >>> absent_package(ModuleNotFoundError("No module named 'scipy'", name="scipy"))
    'This needs SciPy, which the Python in this page does not have. It runs where Idealist is installed (pip install idealist).'
    >>> absent_package(ValueError("no such thing"))
    """
    if not isinstance(error, ImportError) or error.name is None or error.name.startswith("idealist"):
        return None
    package = error.name.partition(".")[0]
    return (
        f"This needs {NAMES.get(package, package)}, which the Python in this page does not have. {ELSEWHERE}"
    )
