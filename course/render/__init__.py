"""What is shown to people: blocks, and the templates that make HTML of them."""
