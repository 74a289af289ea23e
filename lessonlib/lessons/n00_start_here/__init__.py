"""Is everything ready, and are you?"""
