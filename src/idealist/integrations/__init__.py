"""Idealist as a replacement for other tools, and inside them: one module or folder for each."""
