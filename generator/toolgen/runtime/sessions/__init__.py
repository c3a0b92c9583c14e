"""Conversations with a model, whatever stands after them: an official client, or any function from text to text."""
