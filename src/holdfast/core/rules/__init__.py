"""Rules: one file each; its docstring is its page. Pure, three-valued, and the worst wins."""
