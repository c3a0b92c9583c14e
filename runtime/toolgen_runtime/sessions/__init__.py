"""Conversations with a model, through an official client or any function from text to text."""
