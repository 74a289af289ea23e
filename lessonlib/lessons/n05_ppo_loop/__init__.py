"""What do reward and KL do together? With sliders for β and clip."""
