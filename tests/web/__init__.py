"""The workbench. A package, so that its fixtures have a file of their own."""
