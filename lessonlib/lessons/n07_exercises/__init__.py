"""Notebook 07_exercises: its questions, and what only it needs."""
