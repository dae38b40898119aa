"""What the pages of the site ask of the Python in the browser: tables of pasted data, and runs of examples."""
