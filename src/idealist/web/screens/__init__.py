"""The pages: one module per screen, with `SCREENS`, the list of its paths."""
