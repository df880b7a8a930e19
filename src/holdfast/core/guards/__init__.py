"""Guards: what is unsafe about where and how jobs are declared, known before Spark starts.

One guard per file, and its docstring is its documentation page. A guard takes values and gives
findings; it never looks at storage. Locations are written with `repr`, because a location that
came from the environment shows itself as the reference that stands for it.
"""
