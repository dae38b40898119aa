"""Idealist inside other tools: trackers of experiments, frameworks, search engines, pytest; a module or folder for each."""
