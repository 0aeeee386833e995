"""Scripts of no lesson: honest ones in many styles, and faulty ones named after their fault."""
