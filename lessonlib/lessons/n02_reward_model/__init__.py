"""Notebook 02_reward_model: its questions, and what only it needs."""
