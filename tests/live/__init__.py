"""A package, so that its conftest.py is not mistaken for that of all tests."""
