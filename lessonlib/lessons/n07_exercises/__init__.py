"""Can you do it yourself? The exercises in one place, with checks and hints."""
