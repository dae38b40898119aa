"""Grades that are whole numbers, in a matrix of which every cell is a judged document: what is quicker to say of these."""

from __future__ import annotations

import torch

FEW = 4096


class WholeGrades:
    """The grades of a batch as they were given, and what was asked of them."""

    __slots__ = ("_ends", "_reaching", "grades")

    def __init__(self, grades: torch.Tensor) -> None:
        self.grades = grades
        self._reaching: dict[int, torch.Tensor] = {}
        self._ends: tuple[int, int] | None = None

    def reaching(self, level: int) -> torch.Tensor:
        """How many grades of each row are at least `level`."""
        if level not in self._reaching:
            # In 32 bits: PyTorch would make numbers of 64 bits of all cells first.
            self._reaching[level] = (self.grades >= level).sum(1, dtype=torch.int32)
        return self._reaching[level]

    def ends(self) -> tuple[int, int]:
        """The lowest grade and the highest; 0 and -1 of none."""
        if self._ends is None:
            lowest, highest = self.grades.aminmax() if self.grades.numel() else (0, -1)
            self._ends = int(lowest), int(highest)
        return self._ends

    def levels(self, most: int) -> list[float] | None:
        """The grades that occur, lowest first, if they are not too far apart to be counted."""
        lowest, highest = self.ends()
        if highest - lowest >= most:
            return None
        for cells in (self.grades.flatten()[:FEW], self.grades.flatten()):
            counts = (cells - lowest).bincount()
            if int((counts > 0).sum()) == highest - lowest + 1:
                break  # the first few cells have all there can be
        return [float(lowest + at) for at in counts.nonzero().flatten().tolist()]
