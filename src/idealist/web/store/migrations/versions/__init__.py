"""The versions of the database, each with `upgrade`, which makes it of the one before."""
