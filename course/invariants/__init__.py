"""What holds in any training that goes well: one table, and what of it was measured not to hold."""
