"""How the cells of a table read."""

from __future__ import annotations

from idealist.errors import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.report.table import Cell


def cell_text(cell: Cell) -> str:
    """Four decimals for a float, a range for two of them, nothing for None.

    >>> cell_text(-0.00001), cell_text((0.5, 1.0)), cell_text(7), cell_text(None)
    ('0.0000', '[0.5000, 1.0000]', '7', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return f"[{cell_text(cell[0])}, {cell_text(cell[1])}]"
    return f"{cell + 0.0:.4f}".replace("-0.0000", "0.0000") if isinstance(cell, float) else visible(str(cell))
