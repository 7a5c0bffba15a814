"""Every module once: how it is made, and what it is called with; the same in both libraries.

`inputs` are shapes of random numbers, or code that makes an input from `torch` and `rng`.
"""

from dataclasses import dataclass

import numpy as np

TABLE: list = []


@dataclass
class Entry:
    """One module to try.

    Attributes:
        code: makes the module, from `nn` and `torch`.
        inputs: shapes of float inputs, or code.
        training: False for evaluation mode.
        grad: whether the inputs want gradients.
        rtol: how near the numbers are: 1e-9, less where PyTorch counts in float32.
    """

    code: str
    inputs: tuple
    training: bool = True
    grad: bool = True
    rtol: float = 1e-9


def entry(code, *inputs, **words):
    """Write down one module."""
    TABLE.append(Entry(code, inputs, **words))


LONG = "torch.tensor(rng.integers(0, {0}, {1}))"


def longs(high, *shape):
    """Code for an input of integers."""
    return LONG.format(high, shape)


# ---- linear, shape ------------------------------------------------------------------------------

entry("nn.Identity(54, unused=0.1)", (3, 4))
entry("nn.Linear(4, 3)", (5, 4))
entry("nn.Linear(4, 3, bias=False)", (2, 5, 4))
entry("nn.Linear(4, 3)", (4,))
entry("nn.Bilinear(3, 4, 2)", (5, 3), (5, 4))
entry("nn.Flatten()", (2, 3, 4))
entry("nn.Flatten(0, 1)", (2, 3, 4))
entry("nn.Unflatten(1, (2, 3))", (2, 6, 4))

# ---- activations --------------------------------------------------------------------------------

for code in ("ReLU()", "ReLU(inplace=True)", "LeakyReLU()", "LeakyReLU(0.2)", "ELU()", "ELU(2.0)",
             "CELU(1.5)", "SELU()", "GELU()", "GELU('tanh')", "SiLU()", "Mish()", "Sigmoid()",
             "Tanh()", "LogSigmoid()", "Softsign()", "Tanhshrink()", "Softplus()",
             "Softplus(2, 1)", "Hardtanh()", "Hardtanh(-0.5, 0.7)", "ReLU6()", "Hardswish()",
             "Hardshrink()", "Softshrink(0.3)", "Threshold(0.1, 20)", "GLU()",
             "Softmax(dim=1)", "LogSoftmax(dim=-1)", "Softmin(dim=0)", "PReLU()", "PReLU(4)",
             "RReLU()"):
    entry(f"nn.{code}", (3, 4), grad="inplace" not in code)
entry("nn.Hardsigmoid()", (3, 4), rtol=1e-7)                 # PyTorch's 1/6 is a float32
entry("nn.RReLU(0.1, 0.2)", (3, 4), training=False)
entry("nn.Softmax2d()", (2, 3, 4, 2))

# ---- losses -------------------------------------------------------------------------------------

for code in ("MSELoss()", "MSELoss(reduction='sum')", "L1Loss()", "SmoothL1Loss()",
             "SmoothL1Loss(beta=0.5)", "HuberLoss(delta=0.5)", "KLDivLoss(reduction='batchmean')",
             "PoissonNLLLoss()", "SoftMarginLoss()", "HingeEmbeddingLoss()"):
    entry(f"nn.{code}", (3, 4), "torch.tensor(np.sign(rng.normal(size=(3, 4))))"
          if "Margin" in code or "Hinge" in code else
          "torch.tensor(rng.random((3, 4)))")
entry("nn.CrossEntropyLoss()", (5, 3), longs(3, 5))
entry("nn.CrossEntropyLoss(weight=torch.tensor([1., 2., 3.]).double(), label_smoothing=0.1)",
      (5, 3), longs(3, 5))
entry("nn.CrossEntropyLoss(reduction='none')", (2, 3, 4), longs(3, 2, 4))
entry("nn.NLLLoss(ignore_index=1)", (5, 3), longs(3, 5))
entry("nn.BCELoss()", "torch.tensor(rng.random((3, 4)), requires_grad=True)",
      "torch.tensor(rng.random((3, 4)))")
entry("nn.BCEWithLogitsLoss()", (3, 4), "torch.tensor(rng.random((3, 4)))")
entry("nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1., 2., 3., 4.]).double())", (3, 4),
      "torch.tensor(rng.random((3, 4)))")
entry("nn.GaussianNLLLoss(full=True)", (3, 4), (3, 4), "torch.tensor(rng.random((3, 4)))")
entry("nn.CosineEmbeddingLoss(0.1)", (5, 3), (5, 3), "torch.tensor([1, -1, 1, -1, -1])")
entry("nn.MarginRankingLoss(0.3)", (5,), (5,), "torch.tensor([1, -1, 1, -1, -1])")
entry("nn.MultiLabelSoftMarginLoss()", (3, 4), "torch.tensor(rng.integers(0, 2, (3, 4)))")
entry("nn.MultiMarginLoss()", (5, 3), longs(3, 5))
entry("nn.MultiMarginLoss(p=2, margin=0.5)", (5, 3), longs(3, 5))
entry("nn.TripletMarginLoss()", (5, 3), (5, 3), (5, 3))
entry("nn.TripletMarginLoss(swap=True, margin=2.0)", (5, 3), (5, 3), (5, 3))

entry("nn.MultiLabelMarginLoss()", (2, 4), "torch.tensor([[3, 0, -1, 1], [1, -1, 0, 2]])")
entry("nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(), swap=True)",
      (5, 3), (5, 3), (5, 3))
entry("nn.CTCLoss()", "torch.tensor(-1 - rng.random((6, 2, 4)), requires_grad=True)",
      "torch.tensor([[1, 2, 1], [3, 3, 2]])", "torch.tensor([6, 5])", "torch.tensor([3, 2])")

entry("nn.LinearCrossEntropyLoss(4, 3, bias=True)", (5, 4), longs(3, 5))
entry("nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), label_smoothing=0.1)", (5, 4),
      longs(3, 5, 2))
entry("nn.LinearCrossEntropyLoss(4, 3, ignore_index=1, reduction='none', "
      "weight=torch.tensor([1., 2., 3.]).double())", (5, 4), longs(3, 5))
entry("nn.LinearCrossEntropyLoss(4, 3)", (5, 4), "torch.tensor(rng.random((5, 3)))")
entry("nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0)", (7, 8), longs(10, 7))
entry("nn.AdaptiveLogSoftmaxWithLoss(8, 10, [4], head_bias=True)", (8,), longs(10))

# ---- normalisation, dropout ---------------------------------------------------------------------

entry("nn.LayerNorm(4)", (3, 4))
entry("nn.LayerNorm((2, 4), eps=1e-3, bias=False)", (3, 2, 4))
entry("nn.LayerNorm(4, elementwise_affine=False)", (3, 4))
entry("nn.RMSNorm(4)", (3, 4))
entry("nn.GroupNorm(2, 4)", (3, 4, 5))
entry("nn.GroupNorm(2, 4, affine=False)", (3, 4, 2, 2))
entry("nn.LocalResponseNorm(2)", (2, 4, 3))
entry("nn.CrossMapLRN2d(3, alpha=0.1)", (2, 5, 3, 2), grad=False)
entry("nn.CrossMapLRN2d(2, 0.5, 0.6, 2.0)", (2, 4, 3, 2), grad=False)
entry("nn.CrossMapLRN2d(6, alpha=0.3)", (2, 5, 3, 2), grad=False)
for training in (True, False):
    entry("nn.BatchNorm1d(4)", (5, 4), training=training)
    entry("nn.BatchNorm1d(4, momentum=None)", (5, 4, 3), training=training)
    entry("nn.BatchNorm2d(3, eps=1e-3, affine=False)", (2, 3, 4, 4), training=training)
    entry("nn.BatchNorm2d(3, track_running_stats=False)", (2, 3, 4, 4), training=training)
    entry("nn.BatchNorm3d(2)", (2, 2, 2, 3, 2), training=training)
    entry("nn.InstanceNorm1d(4)", (2, 4, 5), training=training)
    entry("nn.InstanceNorm2d(3, affine=True, track_running_stats=True)", (2, 3, 4, 4),
          training=training)
    entry("nn.Dropout(0.3)", (6, 5), training=training)
    entry("nn.AlphaDropout(0.3)", (6, 5), training=training)
entry("nn.Dropout(0)", (6, 5))
entry("nn.Dropout1d()", (3, 4, 5))
entry("nn.Dropout2d(0.4)", (2, 3, 4, 4))
entry("nn.Dropout3d()", (2, 3, 2, 2, 2))
entry("nn.FeatureAlphaDropout()", (3, 4, 5))

# ---- embedding ----------------------------------------------------------------------------------

entry("nn.Embedding(7, 3)", longs(7, 4, 2), rtol=2e-7)       # normal numbers in float32
entry("nn.Embedding(7, 3, padding_idx=0)", longs(3, 6), rtol=2e-7)
entry("nn.Embedding.from_pretrained(torch.ones(3, 2).double(), freeze=False)", longs(3, 6))

entry("nn.Embedding(7, 3, max_norm=1.0)", longs(7, 4, 2), rtol=2e-7)
entry("nn.Embedding(7, 3, max_norm=0.7, norm_type=1.0)", longs(3, 6), rtol=2e-7)
entry("nn.EmbeddingBag(7, 3, max_norm=0.5, mode='sum')", longs(7, 4, 2), rtol=2e-7)
entry("nn.EmbeddingBag(7, 3)", longs(7, 4, 2), rtol=2e-7)
entry("nn.EmbeddingBag(7, 3, mode='sum', padding_idx=1)", longs(7, 6), "torch.tensor([0, 2])",
      rtol=2e-7)

# ---- convolution, pooling, padding --------------------------------------------------------------

entry("nn.Conv1d(3, 4, 3)", (2, 3, 8))
entry("nn.Conv2d(3, 4, 3)", (2, 3, 6, 5))
entry("nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2)",
      (2, 4, 7, 6))
entry("nn.Conv2d(3, 2, 3, padding='same', bias=False)", (2, 3, 5, 5))
entry("nn.Conv2d(2, 2, 3, padding=1, padding_mode='reflect')", (2, 2, 4, 4))
entry("nn.Conv2d(2, 3, 2)", (2, 4, 4))
entry("nn.Conv3d(2, 3, 2)", (1, 2, 3, 4, 3))
entry("nn.ConvTranspose1d(3, 2, 3, stride=2)", (2, 3, 4))
entry("nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1, output_padding=1)", (2, 3, 4, 3))
entry("nn.ConvTranspose3d(2, 2, 2, groups=2)", (1, 2, 2, 3, 2))
entry("nn.MaxPool1d(2)", (2, 3, 7))
entry("nn.MaxPool2d(2)", (2, 3, 6, 4))
entry("nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True)", (2, 3, 6, 5))
entry("nn.MaxPool3d(2)", (1, 2, 4, 4, 2))
entry("nn.AvgPool1d(2, stride=1)", (2, 3, 5))
entry("nn.AvgPool2d((3, 2), padding=(1, 0), count_include_pad=False)", (2, 3, 5, 4))
entry("nn.AvgPool3d(2)", (1, 2, 4, 2, 2))
entry("nn.AdaptiveAvgPool1d(3)", (2, 3, 7))
entry("nn.AdaptiveAvgPool2d((2, None))", (2, 3, 5, 4))
entry("nn.AdaptiveAvgPool2d(1)", (2, 3, 5, 4))
entry("nn.AdaptiveMaxPool2d(2)", (2, 3, 5, 4))
entry("nn.LPPool2d(2, 2)", "torch.tensor(rng.random((2, 3, 4, 4)), requires_grad=True)")
entry("nn.LPPool1d(2, 3, stride=2, ceil_mode=True)",
      "torch.tensor(rng.random((2, 3, 8)), requires_grad=True)")
entry("nn.LPPool3d(3, 2)", "torch.tensor(rng.random((2, 3, 4, 4, 4)), requires_grad=True)")
entry("nn.FractionalMaxPool2d(2, output_size=(3, 2))", (2, 3, 6, 5))
entry("nn.FractionalMaxPool2d((3, 2), output_ratio=0.5)", (3, 7, 8))
entry("nn.FractionalMaxPool3d(2, output_size=(3, 2, 4), return_indices=True)", (2, 3, 6, 5, 7))
entry("nn.Unfold(2)", (2, 3, 4, 4))
entry("nn.Fold((4, 4), 2)", (2, 8, 9))
entry("nn.ZeroPad2d((1, 2, 0, 1))", (2, 3, 4, 4))
entry("nn.ConstantPad1d(2, 3.5)", (2, 3, 4))
entry("nn.ReflectionPad2d(2)", (2, 3, 4, 4))
entry("nn.ReplicationPad1d((1, 3))", (2, 3, 4))
entry("nn.CircularPad2d(1)", (2, 3, 4, 4))
entry("nn.PixelShuffle(2)", (2, 8, 3, 3))
entry("nn.PixelUnshuffle(2)", (2, 2, 4, 4))
entry("nn.ChannelShuffle(2)", (2, 4, 3, 3))
entry("nn.Upsample(scale_factor=2)", (2, 3, 3, 4))
entry("nn.Upsample(size=(5, 7), mode='bilinear')", (2, 3, 3, 4))
entry("nn.Upsample(scale_factor=2, mode='bilinear', align_corners=True)", (2, 3, 3, 4))
entry("nn.UpsamplingNearest2d(scale_factor=2)", (2, 3, 3, 4))
entry("nn.CosineSimilarity(dim=1)", (4, 3), (4, 3))
entry("nn.PairwiseDistance(p=2.0)", (4, 3), (4, 3))

# ---- recurrent ----------------------------------------------------------------------------------

entry("nn.RNNCell(3, 4)", (2, 3))
entry("nn.RNNCell(3, 4, nonlinearity='relu')", (2, 3), (2, 4))
entry("nn.LSTMCell(3, 4)", (2, 3))
entry("nn.GRUCell(3, 4, bias=False)", (2, 3), (2, 4))
for kind in ("RNN", "LSTM", "GRU"):
    entry(f"nn.{kind}(3, 4)", (5, 2, 3))
    entry(f"nn.{kind}(3, 4, num_layers=2, batch_first=True, bidirectional=True)", (2, 5, 3))
    entry(f"nn.{kind}(3, 4, 2, bias=False)", (5, 3))
entry("nn.RNN(3, 4, nonlinearity='relu', dropout=0.5, num_layers=2)", (5, 2, 3))
entry("nn.LSTM(3, 4, proj_size=2)", (5, 2, 3))

# ---- attention ----------------------------------------------------------------------------------

entry("nn.MultiheadAttention(8, 2)", (4, 2, 8), (5, 2, 8), (5, 2, 8))
entry("nn.MultiheadAttention(8, 2, batch_first=True, bias=False)", (2, 4, 8), (2, 5, 8), (2, 5, 8))
entry("nn.MultiheadAttention(8, 4, kdim=3, vdim=5, add_bias_kv=True)", (4, 2, 8), (5, 2, 3),
      (5, 2, 5))
entry("nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0)", (4, 2, 8))
entry("nn.TransformerEncoderLayer(8, 2, 16, 0.1, 'gelu', norm_first=True, batch_first=True)",
      (2, 4, 8))
entry("nn.TransformerDecoderLayer(8, 2, dim_feedforward=16, dropout=0.0)", (4, 2, 8), (5, 2, 8))
entry("nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2, "
      "enable_nested_tensor=False)", (4, 2, 8))

# ---- weights that are computed ------------------------------------------------------------------

for code, layer, shape in (
        ("parametrizations.weight_norm({})", "Linear(4, 3)", (2, 4)),
        ("parametrizations.weight_norm({}, dim=1)", "Conv2d(4, 2, 1)", (2, 4, 3, 3)),
        ("parametrizations.weight_norm({}, dim=None)", "Linear(4, 3)", (2, 4)),
        ("parametrizations.spectral_norm({})", "Linear(4, 3)", (2, 4)),
        ("parametrizations.spectral_norm({}, n_power_iterations=2)", "ConvTranspose2d(4, 2, 1)",
         (2, 4, 3, 3)),
        ("parametrizations.spectral_norm({}, 'bias')", "Linear(4, 3)", (2, 4)),
        ("parametrizations.orthogonal({})", "Linear(4, 4)", (2, 4)),
        ("parametrizations.orthogonal({}, orthogonal_map='cayley')", "Linear(4, 3)", (2, 4)),
        ("parametrizations.orthogonal({})", "Linear(4, 3)", (2, 4)),
        ("parametrizations.orthogonal({}, use_trivialization=False)", "Linear(3, 4)", (2, 3)),
        ("parametrizations.orthogonal({}, 'weight', 'matrix_exp')", "Linear(5, 4)", (2, 5)),
        ("weight_norm({})", "Linear(4, 3)", (2, 4)),
        ("weight_norm({}, dim=None)", "Linear(4, 3)", (2, 4)),
        ("spectral_norm({}, n_power_iterations=2)", "Linear(4, 3)", (2, 4)),
        ("spectral_norm({})", "ConvTranspose2d(4, 2, 1)", (2, 4, 3, 3))):
    entry(f"nn.utils.{code.format(f'nn.{layer}.double()')}", shape)

# ---- containers ---------------------------------------------------------------------------------

entry("nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Dropout(0.2), "
      "nn.Linear(8, 2))", (6, 4))


def inputs_of(one, torch, seed=1):
    """The inputs, the same numbers in both libraries, in float64."""
    rng, made = np.random.default_rng(seed), []
    for given in one.inputs:
        if isinstance(given, str):
            made.append(eval(given, {"torch": torch, "rng": rng, "np": np}))
        else:
            made.append(torch.tensor(rng.normal(size=given), requires_grad=one.grad))
    return made


def outputs_of(result, torch):
    """All floating tensors of a result."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for part in result if part is not None for t in outputs_of(part, torch)]


def made(one, torch):
    """The module, from a seed, in float64."""
    torch.manual_seed(7)
    module = eval(one.code, {"nn": torch.nn, "torch": torch})
    return module.double().train(one.training)


def trained(one, torch):
    """Everything that is compared: parameters, outputs, gradients, three steps.

    Returns a dict of lists of arrays, and of texts.
    """
    module, inputs = made(one, torch), inputs_of(one, torch)
    facts = {"repr": repr(module), "keys": list(module.state_dict()),
             "begin": [numbers(p) for p in module.state_dict().values()]}
    parameters = [p for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.9) if parameters else None
    for step in range(3 if parameters else 1):
        out = outputs_of(module(*inputs), torch)
        rng = np.random.default_rng(2)
        loss = sum((o * torch.tensor(rng.normal(size=tuple(o.shape)))).sum() for o in out
                   if o.is_floating_point())
        if loss.requires_grad:
            loss.backward()
        if step == 0:
            facts["outputs"] = [numbers(o) for o in out]
            facts["gradients"] = [numbers(t.grad) for t in [*inputs, *parameters]
                                  if t.requires_grad and t.grad is not None]
        if optimizer is not None:
            optimizer.step()
            optimizer.zero_grad()
    facts["end"] = [numbers(p) for p in module.state_dict().values()]
    return facts


def numbers(t):
    """The tensor's numbers."""
    return np.array(t.detach().numpy())
