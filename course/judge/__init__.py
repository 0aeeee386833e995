"""Judging: run record × step → verdict. Pure functions, no process, no clock, no framework."""
