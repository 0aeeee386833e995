"""What is taught: lessons, read from TOML and scripts on disk. Knows no framework."""
