"""The families of measures, one module each."""
