"""What stands around the message of an answer: why it ended, what it cost, and errors."""
