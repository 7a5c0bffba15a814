"""Memory that is given back is kept for the next array: the C library is told once, at the import.

A training step frees its arrays and asks for the same ones again. glibc hands freed memory back to
the kernel, and takes it anew page by page (1000 page faults for 4 MB: more than the arithmetic),
until the program has freed one large block. From then on it takes blocks up to that size from its
heap and keeps twice as much of it. So one block is asked for here, the largest that counts, and
freed; nothing is written to it, so it costs no memory. (`man mallopt`: M_MMAP_THRESHOLD.)
"""

import sys

import numpy as np

LARGEST = (1 << 25) - (1 << 16)        # just under glibc's limit of 32 MiB, with room for its head

if sys.platform == "linux":            # elsewhere the block would be real, as in the browser
    np.empty(LARGEST, np.uint8)
