"""Conversations with a model, whatever stands behind them: an official client, or any function from text to text."""
