"""How measures are computed on tensors: one module per family."""
