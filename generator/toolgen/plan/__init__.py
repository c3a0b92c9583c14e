"""Plan stage: turns the catalog into plans of Python code, which templates only print."""
