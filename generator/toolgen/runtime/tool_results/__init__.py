"""Results of calls, in the ways in which wires take them."""
