"""What a change of the declarations breaks, and for whom: handlers, the model, or stored conversations."""
