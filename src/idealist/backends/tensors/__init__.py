"""The algebra of measures on PyTorch's tensors: `lists`, their `places` and `values`."""
