"""Error rates and power by simulation: a module per grid, its results, and the tables that the documentation quotes."""
