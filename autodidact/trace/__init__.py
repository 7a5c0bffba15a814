"""What a viewer sees of a backward pass, as plain data: records, their text, their picture."""
