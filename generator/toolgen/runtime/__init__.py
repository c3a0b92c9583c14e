"""Code that does not depend on schemas: reading, writing and lowering of values, streams, and running tools."""
