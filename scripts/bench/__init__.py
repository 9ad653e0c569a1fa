"""What a capture of a page and the comparison of two of them cost, beside what other tools take for the same pages."""
