"""The base of results: text, notebook, LaTeX and Markdown forms, and frames.

`reporting` shows results, and it stands right of all that makes them, so that nothing here imports it. The front of the
package says how it is loaded; that happens when something is shown for the first time.
"""

from __future__ import annotations

from idealist.base.frozen import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from matplotlib.figure import Figure

    class Shown(Protocol):
        """A result in the formats it is shown in."""

        def to_text(self) -> str: ...
        def to_markdown(self) -> str: ...
        def to_latex(self) -> str: ...
        def to_html(self) -> str: ...
        def to_csv(self) -> str: ...

    class Renderer(Protocol):
        """What shows, draws and tabulates results."""

        def view(self, result: Result, **options: Any) -> Shown: ...
        def frame(self, result: Result, library: str) -> Any: ...
        def plot(self, result: Result, kind: str | None, **options: Any) -> Figure: ...


_loaders: list[Callable[[], Any]] = []


def show_with(load: Callable[[], Any]) -> None:
    """Says how the renderer is loaded. The package does so once, when it is imported."""
    _loaders[:] = [load]


def _renderer() -> Renderer:
    renderer: Renderer = _loaders[0]()
    return renderer


class Result:
    """The base of all results. `str` gives the tables that the command prints; `repr` is one line. What is said of them stays: a
    dict is kept as a table that cannot be changed, a list as a tuple.

    `whole_number_columns` names the columns of ids, such as "query", that frames have as whole numbers, because the
    input had them so.
    """

    whole_number_columns: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ and not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} is immutable: {name} stays what it is")
        super().__setattr__(name, value if name.startswith("_") else kept(value))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._gist()}>"

    def _gist(self) -> str:
        """The result in a few words, for `repr`."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_text(self, **options: Any) -> str:
        """The tables as the command prints them. What the command shows more of with an option, all of these methods
        do with an argument: `comparison.to_latex(all_pairs=True)`; one that is unknown is an error that lists them."""
        return _renderer().view(self, **options).to_text().rstrip("\n")

    def to_markdown(self, **options: Any) -> str:
        """The tables for a wiki or a pull request."""
        return _renderer().view(self, **options).to_markdown()

    def to_latex(self, **options: Any) -> str:
        """The tables for a paper, with the package booktabs."""
        return _renderer().view(self, **options).to_latex()

    def to_html(self, **options: Any) -> str:
        """The tables as HTML without styles, as notebooks show them."""
        return _renderer().view(self, **options).to_html()

    def to_csv(self, **options: Any) -> str:
        """One table with all digits."""
        return _renderer().view(self, **options).to_csv()

    def to_frame(self, library: str = "polars") -> Any:
        """The rows of `to_csv` as a data frame of polars, pandas or pyarrow."""
        return _renderer().frame(self, library)


class Drawable(Result):
    """A result that can be plotted."""

    def plot(self, kind: str | None = None, **options: Any) -> Figure:
        """A matplotlib Figure, to be shown in a notebook or saved; `kind` where there are several, such as
        "differences", "scatter" and "bootstrap" of a contrast. An unknown kind is an error that lists them."""
        return _renderer().plot(self, kind, **options)
