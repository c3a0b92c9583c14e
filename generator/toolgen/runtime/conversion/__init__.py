"""What every conversion works with: the state of reading and writing, places, extras, ids, and losses."""
