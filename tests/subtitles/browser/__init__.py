"""A real Chromium for the playback page, and a real video to play in it."""
