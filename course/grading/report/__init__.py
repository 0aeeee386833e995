"""Reports on a class: a page to look at, and tables and documents for other programs."""
