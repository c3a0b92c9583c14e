"""What a change of declarations breaks, and for whom: handlers, the model, stored conversations."""
