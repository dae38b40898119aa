"""What the workbench keeps: rows in a database, runs and judgments in files named by their content."""
