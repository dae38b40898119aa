"""Measures on batches of tensors, with the values of `evaluate`."""
