"""What `benchmarks/course_notebooks.py` runs notebooks with: small data, and a short training."""
