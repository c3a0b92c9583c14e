"""What no schema changes: reading, writing and lowering of values, streams, and the running of tools."""
