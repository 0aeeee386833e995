"""Transcripts of videos: read, checked, aligned to a lesson's steps, exported, played in a page."""
