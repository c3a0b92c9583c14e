"""JSON as text: read strictly, written compactly, and read while it is still coming."""
