"""Idealist in the place of other tools, and inside them: one module or folder for each."""
