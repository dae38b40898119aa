"""Projects and their data: files brought in, checked, replaced and removed."""
