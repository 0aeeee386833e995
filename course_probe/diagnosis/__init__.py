"""What a diagnosis does in the script's process: nothing is left behind, and one fault hides none."""
