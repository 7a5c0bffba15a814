"""Functions that are made of rows, and their arguments, compared with PyTorch's."""

import warnings

import numpy as np
import pytest

import autodidact as ad
import autodidact.nn.functional as ad_functional

# x and y (2, 3) and p (2, 3) positive are float64 leaves; t holds classes, w three weights.
SAME = """
x.pow(2)
x.abs() ** 2.5
2 ** x
2 / x
2 - x
x / 3
torch.square(x)
torch.float_power(p, 1.5)
torch.rsub(x, y, alpha=3)
x.sub(y, alpha=2)
torch.where(x > 0, x, 0.0)
x.where(x > 0, y)
x.clip(-1, 1)
x.clamp(min=y.detach())
torch.max(x, y)
x.max(dim=1).values
x.max(1, keepdim=True)[0]
torch.max(x, axis=1)[0]
torch.aminmax(x)[1]
x.sum(axis=0, keepdims=True)
x.sum(())
x.sum(dtype=torch.float32)
x.mean(-1, keepdim=True)
x.std()
x.std(0, False)
x.var(dim=1, correction=0)
x.var(unbiased=False)
torch.var_mean(x, 1)[0]
torch.std_mean(x)[1]
x.norm()
x.norm(p=1)
x.norm(dim=1)
torch.norm(x, float("inf"))
torch.dist(x, y)
x.logsumexp((0, 1))
x.softmax(-1, dtype=torch.float32)
torch.nanmean(x)
x.cumprod(-1)
torch.logit(p / 4)
torch.lerp(x, y, 0.25)
torch.addcdiv(x, y, p, value=0.5)
F.softmin(x, 1)
F.softmax(x)
F.log_softmax(x, -1)
F.normalize(x)
F.normalize(x, p=1, dim=0)
F.cosine_similarity(x, y)
F.relu6(x * 5)
F.softsign(x)
F.tanhshrink(x)
F.glu(torch.cat([x, y], 1))
F.selu(x)
torch.threshold(x, 0.1, 2.0)
torch.threshold_(x * 1, threshold=0.1, value=2.0)
F.linear(x, y)
F.linear(x, y, torch.ones(2, dtype=torch.float64))
F.linear(x.view(1, 2, 3), y, torch.ones(2, dtype=torch.float64))
F.linear(x[0], y[0])
F.layer_norm(x, (3,))
F.layer_norm(x, (2, 3), y, p)
F.dropout(x, 0.0)
F.dropout(x, 0.5, training=False)
F.mse_loss(x, y, reduction="sum")
F.mse_loss(x, y[0])
F.mse_loss(x, y, weight=p.detach())
F.l1_loss(x, y)
F.l1_loss(x, y, reduction="none")
F.smooth_l1_loss(x, y, beta=0.0)
F.huber_loss(x, y, weight=p.detach())
F.cross_entropy(x, t)
F.cross_entropy(x, t, weight=w)
F.cross_entropy(x, t, ignore_index=2)
F.cross_entropy(x, t, reduction="none")
F.cross_entropy(x, t, size_average=False)
F.cross_entropy(x, t, label_smoothing=0.1)
F.cross_entropy(x, t, weight=w, label_smoothing=0.1)
F.cross_entropy(x, t, weight=w, label_smoothing=0.1, ignore_index=2)
F.cross_entropy(x, t, label_smoothing=0.1, ignore_index=2)
F.cross_entropy(x, t, label_smoothing=0.1, reduction="none")
F.cross_entropy(x, t, label_smoothing=0.1, reduction="sum")
F.cross_entropy(x, p / 4)
F.cross_entropy(x, p / 4, weight=w, reduction="sum")
F.cross_entropy(x, p / 4, reduction="none", label_smoothing=0.2)
F.cross_entropy(x[0], t[0])
F.cross_entropy(x.view(1, 3, 2), t.view(1, 2) % 3)
F.cross_entropy(x.view(1, 3, 2), t.view(1, 2), reduction="none")
F.nll_loss(x, t, w)
F.binary_cross_entropy(p / 4, (y > 0).double())
F.binary_cross_entropy_with_logits(x, (y > 0).double(), pos_weight=w)
F.kl_div(x, p)
F.kl_div(x, p, reduction="batchmean")
F.kl_div(x, y, reduction="sum", log_target=True)
""".strip().splitlines()


def place(library, functional):
    """The names that the lines use, with the same numbers in either library."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    leaf = {n: library.tensor(a, requires_grad=True)
            for n, a in (("x", x), ("y", y), ("p", np.abs(x) + 0.3))}
    return leaf | {"t": library.tensor([2, 0]), "w": library.tensor([0.5, 1.0, 2.0]).double(),
                   "torch": library, "F": functional}


def evaluate(line, library, functional):
    """The value of a line and the gradients of its entries, each weighted by its number."""
    names = place(library, functional)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = eval(line, names)
    leaves = [names[n] for n in "xyp"]
    weights = library.arange(1, value.numel() + 1, dtype=value.dtype).reshape(value.shape)
    grads = library.autograd.grad((value * weights).sum(), leaves, allow_unused=True)
    return value, [np.zeros(1) if g is None else g.detach().numpy() for g in grads]


@pytest.mark.parametrize("line", SAME)
def test_same_value_and_gradients(line, oracle):
    value, grads = evaluate(line, ad, ad_functional)
    expected, expected_grads = evaluate(line, oracle, oracle.nn.functional)
    assert str(value.dtype) == str(expected.dtype) and tuple(value.shape) == tuple(expected.shape)
    np.testing.assert_allclose(value.detach().numpy(), expected.detach().numpy(), rtol=1e-6)
    for a, b in zip(grads, expected_grads, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)       # one line is in float32


# Refused, in PyTorch's class of exception and with these words of it.
WRONG = [
    ("torch.exp(2.0)", "must be Tensor, not float"),
    ("torch.mul(x, 'a')", "must be Tensor, not str"),
    ("x + torch.ones(4)", "must match the size of tensor b (4) at non-singleton dimension 1"),
    ("x * None", ""),
    ("x ** 'a'", "unsupported operand"),
    ("i ** -1", "Integers to negative integer powers are not allowed."),
    ("i // 0", "ZeroDivisionError"),
    ("i % torch.tensor([0, 1, 2])", "ZeroDivisionError"),
    ("torch.div(x, 2, rounding_mode='up')", "rounding_mode to be one of None, 'trunc', or 'floor'"),
    ("x.clamp()", "At least one of 'min' or 'max' must not be None"),
    ("x.clamp(1, torch.ones(3))", "clamp() received an invalid combination of arguments"),
    ("b - b", "Subtraction, the `-` operator"),
    ("1 - b", "Subtraction, the `-` operator, with a bool tensor is not supported."),
    ("-b", "Negation, the `-` operator, on a bool tensor is not supported."),
    ("x.sum(2)", "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("x.sum((0, 0))", "dim 0 appears multiple times in the list of dims"),
    ("i.mean()", "mean(): could not infer output dtype."),
    ("i.var()", "std and var only support floating point and complex dtypes"),
    ("torch.max(torch.ones(0))", "max(): Expected reduction dim to be specified"),
    ("torch.ones(0, 2).max(0)", "max(): Expected reduction dim 0 to have non-zero size."),
    ("torch.ones(0, 2).amax(0)", "amax(): Expected reduction dim 0 to have non-zero size."),
    ("torch.ones(0).argmax()", "argmax(): Expected reduction dim to be specified"),
    ("i.norm()", "linalg.vector_norm: Expected a floating point or complex tensor as input."),
    ("i.softmax(0)", "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    ("x.softmax(2)", "Dimension out of range"),
    ("torch.where(x, x, x)", "where expected condition to be a boolean tensor"),
    ("torch.maximum(c, c)", "maximum not implemented for complex tensors."),
    ("c < c", "\"lt_cpu\" not implemented for 'ComplexFloat'"),
    ("x < 'a'", "not supported between instances of 'Tensor' and 'str'"),
    ("x & x", "\"bitwise_and_cpu\" not implemented for 'Float'"),
    ("~x", "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
    ("c.floor()", "floor is not supported for complex inputs"),
    ("torch.equal(x, 1)", "must be Tensor, not int"),
    ("torch.isclose(x, x, rtol=-1)", "rtol must be greater than or equal to zero, but got -1"),
    ("F.mse_loss(x, x, reduction='max')", "max is not a valid value for reduction"),
    ("F.mse_loss(x, torch.ones(5))", "at non-singleton dimension 1"),
    ("F.huber_loss(x, x, delta=0)", "huber_loss does not support non-positive values for delta."),
    ("F.cross_entropy(x, torch.tensor([0, 3]))", "Target 3 is out of bounds."),
    ("F.cross_entropy(x, torch.tensor([0]))",
     "Expected input batch_size (2) to match target batch_size (1)."),
    ("F.cross_entropy(x, torch.tensor([0., 1.]))", "but got Float"),
    ("F.cross_entropy(x, torch.ones(2, 2))", "multi-target not supported"),
    ("F.cross_entropy(x, t, label_smoothing=2)", "label_smoothing must be between 0.0 and 1.0."),
    ("F.cross_entropy(x, t, weight=torch.ones(2))", "weight tensor should be defined either for"),
    ("F.binary_cross_entropy(x * 2, x.detach())", "all elements of input should be between"),
    ("F.binary_cross_entropy(x, torch.ones(3))", "Please ensure they have the same size."),
    ("F.binary_cross_entropy_with_logits(x, torch.ones(3))", "must be the same as input size"),
    ("F.gelu(x, approximate='sin')", "approximate argument must be either none or tanh."),
    ("F.gelu(i)", "\"GeluKernelImpl\" not implemented for 'Long'"),
    ("F.hardtanh(x, 1, -1)", "min_val cannot be greater than max_val"),
    ("F.glu(torch.ones(3))", "Halving dimension must be even, but dimension 0 is size 3"),
    ("F.dropout(x, 2.)", "dropout probability has to be between 0 and 1, but got 2.0"),
    ("F.layer_norm(x, (4,))", "Given normalized_shape=[4], expected input with shape [*, 4]"),
    ("torch.empty_strided((2,), (1, 2))", "dimensionality of sizes (1) must match"),
    ("torch.empty_strided((-1,), (1,))", "Trying to create tensor with negative dimension -1"),
    ("torch.empty_strided((2,), (-1,))", "Storage size calculation overflowed"),
    ("torch.empty_strided(2, 1)", "argument 'size' (position 1) must be tuple of ints, not int"),
    ("torch.randint(3, 3, (2,))", "random_ expects 'from' to be less than 'to'"),
    ("i.cauchy_()", "Cauchy distribution is a continuous probability distribution."),
    ("c.log_normal_()", "\"log_normal_cpu\" not implemented for 'ComplexFloat'"),
    ("b.geometric_(0.5)", "\"geometric_cpu\" not implemented for 'Bool'"),
    ("torch.bernoulli(x * 2)", "Expected p_in >= 0 && p_in <= 1 to be true"),
    ("x.normal_()", "a leaf Variable that requires grad is being used in an in-place operation."),
    ("i.exp_()", "result type Float can't be cast to the desired output type Long"),
    ("x.detach().add_(torch.ones(4, 2, 3))", "doesn't match the broadcast shape [4, 2, 3]"),
    ("(x // 2).sum().backward()", "derivative for"),
]


def refused(line, library, functional):
    """The exception of a line; the tensors must be as they were."""
    names = {"x": library.ones(2, 3, requires_grad=True), "i": library.tensor([1, 2, 3]),
             "b": library.tensor([True, False]), "c": library.ones(2, dtype=library.complex64),
             "t": library.tensor([0, 1]), "torch": library, "F": functional}
    before = {n: names[n].tolist() for n in "xibct"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as caught:        # which one is compared below
            eval(line, names)
    assert {n: names[n].tolist() for n in "xibct"} == before
    return caught.value


@pytest.mark.parametrize("line, words", WRONG, ids=[line for line, _ in WRONG])
def test_bad_input_is_refused_in_these_words(line, words):
    assert words in str(refused(line, ad, ad_functional))


@pytest.mark.parametrize("line, words", WRONG, ids=[line for line, _ in WRONG])
def test_bad_input_is_refused_in_pytorchs_class(line, words, oracle):
    ours, theirs = refused(line, ad, ad_functional), refused(line, oracle, oracle.nn.functional)
    assert type(ours) is type(theirs)
    assert words in str(theirs)


DRAWN = """
torch.rand(3)
torch.rand(2, 3, dtype=torch.float64)
torch.randn(2, 3)
torch.randn(20, dtype=torch.float64)
torch.randint(9, (4,))
torch.randint(2, 9, size=(2, 2))
torch.randperm(7)
torch.normal(0., 2., (3,))
torch.normal(torch.zeros(3), torch.ones(3))
torch.rand_like(torch.zeros(2))
torch.randn_like(torch.zeros(2), dtype=torch.float64)
torch.randint_like(torch.zeros(2), 5)
torch.bernoulli(torch.full((5,), .5))
torch.zeros(5).bernoulli_(0.3)
torch.zeros(20, dtype=torch.float64).normal_(1, 2)
torch.zeros(3).uniform_(-1, 1)
torch.zeros(4, dtype=torch.int64).random_(0, 9)
torch.zeros(3).exponential_()
torch.multinomial(torch.tensor([.1, .2, .7]), 2)
torch.nn.functional.dropout(torch.ones(6), .5)
""".strip().splitlines()


@pytest.mark.parametrize("line", DRAWN)
def test_same_random_numbers_after_the_same_seed(line, oracle):
    found = []
    for library in (ad, oracle):
        library.manual_seed(7)
        eval(line, {"torch": library})
        x = eval(line, {"torch": library})
        found.append((str(x.dtype), x.numpy()))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


def test_a_generator_of_ones_own_leaves_the_common_one_alone():
    state = ad.get_rng_state()
    first = ad.rand(3, generator=ad.Generator().manual_seed(1))
    again = ad.rand(3, generator=ad.Generator().manual_seed(1))
    assert ad.equal(first, again) and ad.equal(state, ad.get_rng_state())
    with ad.random.fork_rng():
        ad.rand(5)
    assert ad.equal(state, ad.get_rng_state())
