"""Optional lab: runs that went wrong. What is broken?"""
