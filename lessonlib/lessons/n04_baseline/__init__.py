"""Notebook 04_baseline: its questions, and what only it needs."""
