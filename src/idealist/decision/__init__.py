"""From an interval, a margin and guards to a verdict: ship, block, undecided."""
