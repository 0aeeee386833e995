"""How a submission is graded, here or on another machine: by questions, or by its run."""
