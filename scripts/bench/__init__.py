"""What captures and comparisons cost, of pages and of databases, beside what other tools take for the same."""
