"""What every room stands on: languages, files, places, errors."""
