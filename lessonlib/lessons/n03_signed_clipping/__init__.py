"""Notebook 03_signed_clipping: its questions, and what only it needs."""
