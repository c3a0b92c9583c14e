"""Plan: the catalogue becomes Python-shaped plans, which templates print without thinking."""
