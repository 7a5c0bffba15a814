"""What users call: PyTorch's signatures and overloads around the rows, one file per topic.

A function here reads its arguments as PyTorch does, complains as PyTorch does, and calls rows. It
has no derivative of its own: a composition of rows is differentiated by the rows.
"""
