"""The project file, idealist.toml: what a folder's files are and how they are measured and decided by, said once."""
