"""Running calls of tools. Nothing here is imported before a call is dispatched."""
