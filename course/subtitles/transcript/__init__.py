"""A transcript file: its bytes, times and languages read, held against rules, and repaired."""
