"""Evaluations: the rows that they were given, the answers, and how a script takes these."""
