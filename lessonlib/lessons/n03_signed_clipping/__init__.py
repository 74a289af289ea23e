"""Which product does PPO keep, for each sign and each side?"""
