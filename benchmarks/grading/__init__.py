"""The parts of `benchmarks/grading.py`: submissions, graders, a meter."""
