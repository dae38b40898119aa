"""Files that leave a project."""
