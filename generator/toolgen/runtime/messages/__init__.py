"""Messages: their order and turns, and the ways in which wires spell their content."""
