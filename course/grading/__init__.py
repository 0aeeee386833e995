"""A class: exercises out, untrusted submissions in, a gradebook, reports."""
