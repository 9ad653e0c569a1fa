"""What a capture of a database and the comparison of two of them cost, beside what other tools take for the same."""
