"""The core's own numbers, and how they came about: what `explain` shows of a measure."""
