"""For authors: proofs that a lesson holds what it promises."""
