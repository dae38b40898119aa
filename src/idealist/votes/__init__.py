"""Two systems side by side, as people voted: good, same, bad."""
