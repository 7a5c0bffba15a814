"""The dtype of `torch.tensor` when lists hold tensors, arrays and NumPy's numbers."""

import numpy as np
import pytest

import autodidact as ad

LINES = """
[T(1.0, dtype=f64), 2.0]
[T(1, dtype=i32), T(2, dtype=i32)]
[T(1, dtype=i32), 2]
[T(1.0, dtype=f16)]
[T(1.0, dtype=f16), 2.5]
[T(1, dtype=u8), 1.5]
[T(1, dtype=u8), T(1, dtype=i8)]
[T([1.0], dtype=f64)]
[T([1.0], dtype=f64), T([[2.0]]), 3]
[[T(1.0, dtype=f64)], [T(2)]]
[T(True), 2]
[T(True), T(False)]
[np.float64(1), 2]
[np.float32(1), np.float32(2)]
[np.int32(1)]
[np.int16(1), 2j]
[np.ones(2), np.zeros(2)]
[np.ones(2, np.float32), np.zeros(2, np.int64)]
[[np.float64(1), 2], [3, 4]]
(T(1.0), T(2.0))
[1, 2.5, True]
[[], []]
[True, 2]
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy:UserWarning")
@pytest.mark.parametrize("line", LINES)
def test_as_in_pytorch(line, oracle):
    texts = []
    for torch in (ad, oracle):
        names = {"T": torch.tensor, "np": np, "f64": torch.float64, "f16": torch.float16,
                 "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8}
        made = torch.tensor(eval(line, names))
        texts.append((str(made.dtype), made.tolist()))
    assert texts[0] == texts[1]
