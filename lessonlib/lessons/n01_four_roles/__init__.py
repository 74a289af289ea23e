"""Which of four objects changes when?"""
