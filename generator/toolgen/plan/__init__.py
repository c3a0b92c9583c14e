"""Plan: the catalog becomes Python-shaped plans, which templates print without thinking."""
