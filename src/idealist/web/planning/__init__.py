"""What to judge next, and how much."""
