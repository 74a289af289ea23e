"""One folder a notebook: its questions, its exercises, its own pictures. Found by being there."""
