"""Evaluations: the rows that they were given, the answers, and when a metric is set back."""
