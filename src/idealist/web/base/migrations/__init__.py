"""The history of the tables: one module per version in `versions`."""
