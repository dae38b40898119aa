"""Models that score documents by their features, and the files they are kept in."""
