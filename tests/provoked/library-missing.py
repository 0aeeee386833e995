"""A library that is not installed."""
