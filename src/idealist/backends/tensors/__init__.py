"""The algebra of measures on PyTorch's tensors: `tensor_lists`, their `tensor_places` and `tensor_values`."""
