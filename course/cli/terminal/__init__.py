"""How commands talk on a terminal: consoles, help, options, keys, live lines, what they write."""
