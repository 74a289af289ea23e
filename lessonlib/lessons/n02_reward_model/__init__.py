"""How do comparisons become scores, and why do the scores never settle?"""
