"""The report `html`: the class map, and a page for each student."""
