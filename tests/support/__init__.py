"""What several tests share: examples for properties, files and tables, peers behind one name."""
