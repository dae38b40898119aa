"""Idealist in the place of other tools: one module or folder for each."""
