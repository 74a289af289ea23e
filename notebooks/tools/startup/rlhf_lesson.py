"""IPython runs this as a kernel starts, so that even a forgotten first cell is explained.

`make` copies it into the environment. The lesson is imported only when a name is missing.
"""


def explain(shell, *error, tb_offset=None):
    from lessonlib.teaching import missing_name

    missing_name.explain(shell, *error, tb_offset=tb_offset)


get_ipython().set_custom_exc((NameError,), explain)
del explain
