"""What one API, or one family of APIs, has of its own: a folder each."""
