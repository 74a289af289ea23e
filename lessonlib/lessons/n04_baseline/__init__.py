"""What does a baseline change, and what not?"""
