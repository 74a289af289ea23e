"""Notebook 00_start_here: its questions, and what only it needs."""
