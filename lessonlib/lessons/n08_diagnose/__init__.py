"""Notebook 08_diagnose: its questions, and what only it needs."""
