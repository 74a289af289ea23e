"""How good is the trained policy, and good at what?"""
