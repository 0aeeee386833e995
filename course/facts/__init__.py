"""What the ledger of a training says, as facts: pure functions."""
