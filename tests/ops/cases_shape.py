"""Cases of the rows that view, index, join and multiply matrices."""
