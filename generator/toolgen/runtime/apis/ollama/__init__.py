"""One API: its messages, results, responses and streams."""
