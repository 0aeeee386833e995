"""Transcripts written out in the formats of players, notes and programs: pure functions."""
