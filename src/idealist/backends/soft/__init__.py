"""The algebra of measures with soft ranks, on top of `tensors`: numbers that move with the scores have gradients."""
