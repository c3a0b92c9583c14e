"""What no schema changes: reading and writing of values, ids, names, residue, losses, lowering and arguments."""
