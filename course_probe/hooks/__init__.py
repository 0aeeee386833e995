"""Hooks into the frameworks: each module owns the state of what it hooks, and writes events."""
