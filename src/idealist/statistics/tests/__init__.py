"""Tests of paired differences, one file each."""
