"""Models of PyTorch's, small: each function returns (module, forward), forward() a fresh loss."""

import torch
from torch import nn
from torch.nn import functional as F


class Square(torch.autograd.Function):
    """x * x, with a backward of its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]


TARGET = torch.tensor([0, 1, 2, 0, 1])


def mlp_with_a_function():
    m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    x = torch.randn(5, 4)
    return m, lambda: F.cross_entropy(Square.apply(m(x)), TARGET)


def cnn_with_batch_norm():
    m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Flatten(), nn.Linear(36, 3))
    x = torch.randn(5, 1, 8, 8)
    return m, lambda: F.cross_entropy(m(x), TARGET)


def lstm():
    m = nn.LSTM(3, 5, batch_first=True)
    x = torch.randn(2, 6, 3)
    return m, lambda: m(x)[0].pow(2).mean()


def unrolled_rnn():
    m = nn.RNNCell(3, 5)
    x = torch.randn(6, 2, 3)

    def forward():
        h = torch.zeros(2, 5)
        for step in x:
            h = m(step, h)
        return h.pow(2).mean()
    return m, forward


def transformer_layer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    m = nn.Sequential(nn.Embedding(11, 8), layer, nn.Linear(8, 11))
    x = torch.randint(0, 11, (2, 7))
    return m, lambda: F.cross_entropy(m(x).reshape(-1, 11), x.reshape(-1))


def several_outputs():
    m = nn.ParameterList([nn.Parameter(torch.randn(3, 8))])

    def forward():
        w = m[0]
        stacked = torch.stack([w[0], w[1] * w[2], w.sum(0)])
        a, b = torch.chunk(torch.cat(stacked.unbind(0)), 2)
        best = (torch.topk(a, 4)[0] * torch.sort(b)[0][:4]).sum()
        return best + torch.linalg.svdvals(w).sum() + torch.where(w > 0, w, -w).mean()
    return m, forward


FAMILIES = [mlp_with_a_function, cnn_with_batch_norm, lstm, unrolled_rnn, transformer_layer,
            several_outputs]


def linear_regression():
    m = nn.Linear(3, 1)
    x, y = torch.randn(7, 3), torch.randn(7, 1)
    return m, lambda: F.mse_loss(m(x), y)


def bilinear():
    m = nn.Bilinear(3, 4, 2)
    a, b = torch.randn(5, 3), torch.randn(5, 4)
    return m, lambda: m(a, b).logsumexp(1).mean()


def gru_packed():
    m = nn.GRU(3, 4)
    x = nn.utils.rnn.pack_padded_sequence(torch.randn(5, 2, 3), [5, 3])
    return m, lambda: m(x)[1].sum()


def attention():
    m = nn.MultiheadAttention(8, 2)
    x = torch.randn(4, 2, 8)
    return m, lambda: m(x, x, x)[0].square().mean()


def autoencoder():
    m = nn.Sequential(nn.Linear(6, 2), nn.Tanh(), nn.Linear(2, 6))
    x = torch.randn(4, 6)
    return m, lambda: F.smooth_l1_loss(m(x), x)


def transposed_convolution():
    m = nn.Sequential(nn.ConvTranspose1d(2, 3, 3, stride=2), nn.GELU(), nn.AdaptiveAvgPool1d(2))
    x = torch.randn(2, 2, 5)
    return m, lambda: m(x).abs().sum()


def embedding_bag():
    m = nn.EmbeddingBag(10, 3, mode="mean")
    x, offsets = torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 2])
    return m, lambda: m(x, offsets).exp().mean()


def tied_weights():
    m = nn.Embedding(6, 4)
    x = torch.tensor([0, 3, 3, 5])
    return m, lambda: F.cross_entropy(m(x) @ m.weight.T, x)


def norms_and_gates():
    m = nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 8), nn.GLU(), nn.PReLU(), nn.RMSNorm(4))
    x = torch.randn(3, 6)
    return m, lambda: m(x).pow(3).sum()


def frozen_first_layer():
    m = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 2))
    m[0].requires_grad_(False)
    x = torch.randn(3, 4)
    return m, lambda: F.binary_cross_entropy_with_logits(m(x), torch.ones(3, 2))


ORDINARY = [linear_regression, bilinear, gru_packed, attention, autoencoder,
            transposed_convolution, embedding_bag, tied_weights, norms_and_gates,
            frozen_first_layer]
