"""One API: how its messages, results, answers and streams are laid out."""
