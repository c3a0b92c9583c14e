"""What every conversion works with: the state of reading and writing, places, residue, ids, and losses."""
