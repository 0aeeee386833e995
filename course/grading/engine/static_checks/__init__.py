"""What the text of a submission reaches for,."""
