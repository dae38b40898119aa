"""People: logging in, accounts, users, the members of a project, and who did what."""
