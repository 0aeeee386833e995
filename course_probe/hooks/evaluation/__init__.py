"""Evaluations of a loop by hand: what its metrics compute, and what its processes gather."""
