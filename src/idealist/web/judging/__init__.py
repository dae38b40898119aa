"""Tasks for raters: made, answered in the browser or in packets."""
