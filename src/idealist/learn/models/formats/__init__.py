"""Files of models: a `ModelFormat` object for each format, called by its name in capitals; `model_storage` lists them."""
