"""One folder a notebook, nNN_name for NN_name.ipynb, found by being there.

The docstring of a folder's `__init__` is what its notebook asks, as the README's table says it.
"""
