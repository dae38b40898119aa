"""Idealist in the place of other tools, and inside them. One module for each; nothing is imported until asked for."""
