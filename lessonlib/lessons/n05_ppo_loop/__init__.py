"""Notebook 05_ppo_loop: its questions, and what only it needs."""
