"""Scripts of no lesson, run and listened to."""
