"""The subcommands, one module each, with SUMMARY, configure and run."""
