"""The parts of `benchmarks/mutants.py`: operators, the issue's table, an oracle."""
