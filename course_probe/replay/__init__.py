"""What one step's own operations tell, asked once more with other targets, rows and tokens."""
