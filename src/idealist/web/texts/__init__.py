"""The texts of pages: one JSON file per language, with the same keys; a test compares them with each other and with the
templates."""
