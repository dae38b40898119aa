"""Runs evaluated, explained, compared, and followed over time."""
