"""Floor 0: where numbers live; nothing here knows of gradients."""
