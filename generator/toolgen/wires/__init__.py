"""One class for each provider: its objects, key by key, as its profile states them."""
