"""Files of models: one module per format, with one `ModelFormat` object called FORMAT."""
