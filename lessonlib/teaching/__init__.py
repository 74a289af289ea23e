"""Asks, checks and draws; knows no single notebook."""
