"""Plan stage: the catalog becomes plans of Python code, which templates only print."""
