"""How models are fitted: one module per algorithm, with its `Trainer`."""
