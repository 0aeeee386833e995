"""The parts of `benchmarks/diagnosis.py`: healthy scripts, edits of them."""
