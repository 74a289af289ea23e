"""Notebook 06_exact_optimum: its questions, and what only it needs."""
