"""The formats of files: one module per format, each with one `Format` object, `FORMAT`; `registry` lists them."""
