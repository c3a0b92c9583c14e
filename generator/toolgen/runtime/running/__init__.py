"""Running calls of tools: nothing here is imported before a call is dispatched."""
