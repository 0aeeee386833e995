"""What a diagnosis does in a script's process: it leaves nothing behind, and goes on."""
