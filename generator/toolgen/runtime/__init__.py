"""What generated packages carry along: ordinary modules that import the standard library and pydantic only."""
