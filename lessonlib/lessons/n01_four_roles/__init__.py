"""Notebook 01_four_roles: its questions, and what only it needs."""
