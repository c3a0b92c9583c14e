"""Code that does not depend on declarations: conversions, lowering of schemas, streams, and running tools."""
