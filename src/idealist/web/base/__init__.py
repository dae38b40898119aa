"""What the workbench stands on: its settings, the database, stored files, work in the background."""
