"""Who asks and what they may; what all pages and all paths of the API have in common."""
