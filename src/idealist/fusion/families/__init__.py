"""The methods of fusion, one module per family."""
