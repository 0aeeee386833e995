"""The rows and labels that pass by: which, how often, in what order, how scaled."""
