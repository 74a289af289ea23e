"""The explorer and the stepper. Widgets hold no mathematics: they show what training returns."""
