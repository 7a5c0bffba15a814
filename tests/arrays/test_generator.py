"""The generator: seeds, states, and the default one."""

import copy
import pickle

import numpy as np
import pytest

from autodidact.arrays import random
from autodidact.arrays.device import device
from autodidact.arrays.random import Generator

# Words of MT19937 for the seed 5489, from the published reference implementation.
REFERENCE = [3499211612, 581869302, 3890346734, 3586334585, 545404204]


def test_words_are_the_reference_implementations():
    assert Generator().manual_seed(5489).words(5).tolist() == REFERENCE
    high, low = REFERENCE[:2]
    assert Generator().manual_seed(5489).long_words(1).tolist() == [high << 32 | low]


@pytest.mark.parametrize(("seed", "kept"), [(0, 0), (7, 7), (2**64 - 1, 2**64 - 1), (-1, 2**64 - 1),
                                            (-2**63, 2**63), (np.int64(9), 9)])
def test_seeds(seed, kept):
    assert Generator().manual_seed(seed).initial_seed() == kept


def test_only_the_low_half_of_a_seed_chooses_the_sequence():
    one, other = Generator().manual_seed(5), Generator().manual_seed(2**32 + 5)
    assert one.words(3).tolist() == other.words(3).tolist()


@pytest.mark.parametrize(("seed", "error", "words"), [
    (1.5, RuntimeError, "manual_seed expected a long, but got float"),
    ("a", RuntimeError, "manual_seed expected a long, but got str"),
    (True, RuntimeError, "manual_seed expected a long, but got bool"),
    (2**64, ValueError, "Overflow when unpacking long long"),
    (-2**63 - 1, ValueError, "Overflow when unpacking long long"),
])
def test_bad_seeds(seed, error, words, oracle):
    for generator in (Generator(), oracle.Generator()):
        with pytest.raises(error, match=words):
            generator.manual_seed(seed)


def test_a_new_generator_starts_where_torchs_does(oracle):
    ours, theirs = Generator(), oracle.Generator()
    assert ours.initial_seed() == theirs.initial_seed()
    assert repr(ours.device) == repr(theirs.device)
    np.testing.assert_array_equal(random.uniform(ours, (5,), np.float32),
                                  oracle.rand(5, generator=theirs).numpy())


@pytest.mark.parametrize("n", [0, 1, 2, 300, 311, 312, 313, 1000])
def test_states_travel_both_ways(n, oracle):
    """The layout is PyTorch's, so each goes on where the other stopped."""
    ours, theirs = Generator().manual_seed(4), oracle.Generator().manual_seed(4)
    random.uniform(ours, (n,), np.float64)
    random.normal(ours, (3,), np.float32)
    theirs.set_state(oracle.from_numpy(ours.get_state()))
    assert theirs.initial_seed() == 4
    expected = oracle.randn(2, generator=theirs, dtype=oracle.float64).numpy()
    np.testing.assert_array_equal(random.normal(ours, (2,), np.float64), expected)
    ours.set_state(theirs.get_state().numpy())
    np.testing.assert_array_equal(random.uniform(ours, (700,), np.float32),
                                  oracle.rand(700, generator=theirs).numpy())


@pytest.mark.parametrize("copied", [copy.deepcopy, Generator.clone_state,
                                    lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_goes_on_alone(copied):
    gen = Generator().manual_seed(1)
    random.normal(gen, (5,), np.float32)
    twin = copied(gen)
    first = random.normal(gen, (4,), np.float32)
    assert first.tolist() == random.normal(twin, (4,), np.float32).tolist()
    assert twin.initial_seed() == 1


@pytest.mark.parametrize(("state", "error", "words"), [
    (np.zeros(3, np.uint8), RuntimeError, "Expected a CPUGeneratorImplState of size 5056"),
    (np.zeros(5056, np.float32), TypeError, "RNG state must be a torch.ByteTensor"),
    (None, TypeError, "RNG state must be a torch.ByteTensor"),
    (np.zeros(5056, np.uint8), RuntimeError, "Invalid mt19937 state"),
])
def test_bad_states(state, error, words):
    with pytest.raises(error, match=words):
        Generator().set_state(state)


def test_seed_surprises():
    gen = Generator()
    first, second = gen.seed(), gen.seed()
    assert first != second and gen.initial_seed() == second


def test_the_default_generator():
    assert random.manual_seed(11) is random.default_generator
    assert random.initial_seed() == 11
    state = random.get_rng_state()
    first = random.default_generator.words(3).tolist()
    random.set_rng_state(state)
    with random.fork_rng():
        assert random.default_generator.words(3).tolist() == first
    assert random.default_generator.words(3).tolist() == first
    assert random.seed() == random.initial_seed()


def test_only_on_the_cpu():
    assert Generator("cpu").device == device("cpu")
    with pytest.raises(AssertionError, match="CUDA"):
        Generator("cuda")
