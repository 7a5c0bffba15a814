"""Floor 0: dtypes, promotion, devices, random numbers, printing."""
