"""Cases of the rows of layers: convolution, pooling, padding."""

import numpy as np

from tests.ops.domains import case, complex_, exactly, integers, real

CONV = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
WIDE = {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}


def by_hand(x, w, b, stride, padding, dilation, groups):
    """A convolution in two dimensions, one product at a time."""
    (sh, sw), (ph, pw), (dh, dw) = stride, padding, dilation
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    n, (o, c, kh, kw) = len(x), w.shape
    oh = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1
    ow = (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    out = np.zeros((n, o, oh, ow), x.dtype) + (0 if b is None else b[:, None, None])
    for m, k, i, j, a, p, q in np.ndindex(n, o, oh, ow, c, kh, kw):
        first = k // (o // groups) * c
        out[m, k, i, j] += x[m, first + a, i * sh + p * dh, j * sw + q * dw] * w[k, a, p, q]
    return out


# ---- convolution --------------------------------------------------------------------------------

case("convolution", real(2, 2, 4, 5), real(3, 2, 2, 3), real(3), args=CONV,
     code="F.conv2d(x, y, z)", value=by_hand, duck=False)
case("convolution", real(2, 4, 5, 6), real(2, 2, 3, 2), real(2), args=WIDE,
     code="F.conv2d(x, y, z, (2, 1), (1, 2), (1, 2), 2)", value=by_hand, duck=False, tag="wide")
case("convolution", real(1, 17, 4, 4), real(2, 17, 2, 2), None, args=CONV,
     code="F.conv2d(x, y)", value=by_hand, duck=False, tag="many channels")
case("convolution", real(2, 34, 3, 4), real(34, 17, 2, 2), real(34),
     args={"stride": (1, 1), "padding": (1, 2), "dilation": (2, 1), "groups": 2},
     code="F.conv2d(x, y, z, 1, (1, 2), (2, 1), 2)", value=by_hand, duck=False,
     tag="many channels, in groups")
case("convolution", real(2, 40, 4), real(35, 40, 2), None,
     args={"stride": (1,), "padding": (1,), "dilation": (1,), "groups": 1},
     code="F.conv1d(x, y, None, 1, 1)", duck=False, tag="many channels, one dimension")
case("convolution", real(1, 9, 2, 3, 2), real(9, 9, 2, 2, 2), None,
     args={"stride": (1, 1, 1), "padding": (0, 1, 1), "dilation": (1, 1, 1), "groups": 1},
     code="F.conv3d(x, y, None, 1, (0, 1, 1))", duck=False, tag="many channels, three dimensions")
case("convolution", real(2, 2, 5), real(3, 2, 2), real(3),
     args={"stride": (2,), "padding": (1,), "dilation": (1,), "groups": 1},
     code="F.conv1d(x, y, z, 2, 1)", duck=False, tag="one dimension")
case("convolution", real(1, 2, 3, 3, 2), real(2, 2, 2, 2, 2), real(2),
     args={"stride": (1, 1, 1), "padding": (0, 1, 0), "dilation": (1, 1, 1), "groups": 1},
     code="F.conv3d(x, y, z, 1, (0, 1, 0))", duck=False, tag="three dimensions")
case("convolution", complex_(1, 1, 3, 3), complex_(1, 1, 2, 2), None, args=CONV, duck=False,
     tag="complex")
case("convolution_transpose", real(2, 3, 3, 2), real(3, 2, 2, 3), real(2),
     args={"shape": (2, 6, 4), **CONV, "stride": (2, 1)},
     code="F.conv_transpose2d(x, y, z, (2, 1))", duck=False)
case("convolution_transpose", real(2, 4, 3), real(4, 1, 2), None,
     args={"shape": (2, 6), "stride": (2,), "padding": (1,), "dilation": (2,), "groups": 2},
     code="F.conv_transpose1d(x, y, None, 2, 1, 1, 2, 2)", duck=False, tag="one dimension")
case("convolution_input", real(2, 3, 3, 3), real(3, 2, 2, 3),
     args={"shape": (2, 2, 4, 5), **CONV}, duck=False)
case("convolution_weight", real(2, 3, 3, 3), real(2, 2, 4, 5),
     args={"shape": (3, 2, 2, 3), **CONV}, duck=False)
case("im2col", real(2, 2, 4, 5), args={"kernel": (2, 3), "dilation": (1, 1), "padding": (1, 0),
                                       "stride": (1, 2)},
     code="F.unfold(x, (2, 3), 1, (1, 0), (1, 2))", duck=False)
case("col2im", real(2, 12, 10), args={"size": (4, 5), "kernel": (2, 3), "dilation": (1, 1),
                                      "padding": (1, 0), "stride": (1, 2)},
     code="F.fold(x, (4, 5), (2, 3), 1, (1, 0), (1, 2))", duck=False)

# ---- recurrent layers ---------------------------------------------------------------------------


def step_by_step(x, w, v, b, d, h, c, reverse):
    """An LSTM, one step at a time."""
    def logistic(z):
        return 1 / (1 + np.exp(-z))
    found = [None] * len(x)
    for t in sorted(range(len(x)), reverse=reverse):
        i, f, g, o = np.split(x[t] @ w.T + b + h @ v.T + d, 4, axis=1)
        c = logistic(f) * c + logistic(i) * np.tanh(g)
        h = found[t] = logistic(o) * np.tanh(c)
    return np.stack(found), h, c


for reverse in (False, True):
    case("mkldnn_rnn_layer", real(3, 2, 4), real(8, 4), real(8, 2), real(8), real(8), real(2, 2),
         real(2, 2), args={"reverse": reverse}, value=step_by_step, duck=False,
         tag="backwards" if reverse else "")

# ---- normalisation ------------------------------------------------------------------------------

case("native_layer_norm", real(3, 2, 4), real(4), real(4), args={"dims": (-1,), "eps": 1e-5},
     code="F.layer_norm(x, (4,), y, z, 1e-5)")
case("native_layer_norm", real(2, 3, 4), None, real(3, 4), args={"dims": (-2, -1), "eps": 0.1},
     code="F.layer_norm(x, (3, 4), None, y, 0.1)", tag="two dimensions")
case("native_layer_norm", real(2, 4), real(4), None, args={"dims": (-1,), "eps": 0.0},
     code="F.layer_norm(x, (4,), y, None, 0.0)", tag="no bias")
case("native_batch_norm", real(3, 2, 2, 2), real(2), real(2), args={"eps": 1e-5},
     code="F.batch_norm(x, None, None, y, z, True)")
case("native_batch_norm", real(4, 3), None, None, args={"eps": 0.1},
     code="F.batch_norm(x, None, None, None, None, True, eps=0.1)", tag="without weights")
case("native_group_norm", real(2, 4, 3), real(4), real(4), args={"group": 2, "eps": 1e-5},
     code="F.group_norm(x, 2, y, z)")
case("native_group_norm", real(2, 6, 1, 2), None, None, args={"group": 3, "eps": 0.1},
     code="F.group_norm(x, 3, eps=0.1)", tag="without weights")
case("native_group_norm", real(0, 2), real(2), None, args={"group": 1, "eps": 0.1},
     code="F.group_norm(x, 1, y, eps=0.1)", tag="no examples")

# ---- pooling ------------------------------------------------------------------------------------

POOL = {"kernel": (2, 2), "stride": (2, 2), "padding": (0, 0)}
case("max_pool2d_with_indices", real(2, 2, 4, 6),
     args={**POOL, "dilation": (1, 1), "count": (2, 3)},
     code="F.max_pool2d(x, 2, return_indices=True)", duck=False)
case("max_pool2d_with_indices", real(1, 2, 4, 5),
     args={"kernel": (3, 2), "stride": (1, 2), "padding": (1, 0), "dilation": (1, 1),
           "count": (4, 3)},
     code="F.max_pool2d(x, (3, 2), (1, 2), (1, 0), ceil_mode=True, return_indices=True)",
     duck=False, tag="overlapping")
case("max_pool2d_with_indices", exactly([[[[1.0, np.nan], [2.0, 1.0]]]]),
     args={**POOL, "dilation": (1, 1), "count": (1, 1)},
     code="F.max_pool2d(x, 2, return_indices=True)", duck=False, smooth=False, tag="nan")
case("max_pool3d_with_indices", real(1, 2, 2, 4, 2),
     args={"kernel": (2, 2, 1), "stride": (1, 2, 1), "padding": (0, 0, 0), "dilation": (1, 1, 1),
           "count": (1, 2, 2)},
     code="F.max_pool3d(x, (2, 2, 1), (1, 2, 1), return_indices=True)", duck=False)
case("pick_planes", real(2, 2, 3, 3), integers(0, 9)(2, 2, 2, 2), duck=False)
case("put_planes", real(2, 2, 2, 2), integers(0, 9)(2, 2, 2, 2),
     args={"size": (3, 3), "apart": False}, duck=False)
case("avg_pool2d", real(2, 2, 4, 6), args={**POOL, "count": (2, 3), "divisor": 4},
     code="F.avg_pool2d(x, 2)", duck=False,
     value=lambda x, *_: x.reshape(2, 2, 2, 2, 3, 2).mean((3, 5)))
case("avg_pool2d", real(1, 2, 4, 5),
     args={"kernel": (3, 2), "stride": (1, 2), "padding": (1, 0), "count": (4, 3),
           "divisor": np.array([[4, 4, 2], [6, 6, 3], [6, 6, 3], [4, 4, 2]], float)},
     code="F.avg_pool2d(x, (3, 2), (1, 2), (1, 0), ceil_mode=True, count_include_pad=False)",
     duck=False, tag="uneven")
case("avg_pool3d", real(1, 1, 2, 4, 2),
     args={"kernel": (2, 2, 1), "stride": (1, 2, 1), "padding": (0, 0, 0), "count": (1, 2, 2),
           "divisor": 4},
     code="F.avg_pool3d(x, (2, 2, 1), (1, 2, 1))", duck=False)
case("avg_pool_backward", real(2, 1, 2, 3), args={
    "size": (4, 6), **POOL, "count": (2, 3), "divisor": 4}, duck=False)

# ---- padding ------------------------------------------------------------------------------------

case("constant_pad_nd", real(2, 3), args={"pad": (1, 2, 0, 1), "value": 0.5},
     code="F.pad(x, (1, 2, 0, 1), value=0.5)", duck=False,
     value=lambda x, p, v: np.pad(x, ((0, 1), (1, 2)), constant_values=v))
case("constant_pad_nd", real(3, 4), args={"pad": (-1, 1), "value": 0},
     code="F.pad(x, (-1, 1))", duck=False, tag="cut")
