"""Scorers as PyTorch modules, and how they are fitted to query groups."""
