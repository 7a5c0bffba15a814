"""Generator: the source of random numbers, the same sequence as PyTorch's on the CPU.

The source is the Mersenne Twister MT19937, seeded from the low 32 bits of the seed. It yields
32-bit words; every draw in `random.py` is arithmetic on a known number of these words, which is
why a seed gives the same numbers here and in PyTorch. NumPy has the same source built in.

Example:
    >>> gen = Generator().manual_seed(0)
    >>> gen.words(2).tolist()
    [2357136044, 2546248239]
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from autodidact.arrays.device import check, device

__all__ = [
    "Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
    "seed", "set_rng_state",
]

FIRST_SEED = 67280421310721            # of every new generator, as in PyTorch
WORDS = 624                            # the twister makes so many words at a time

# PyTorch's own layout of a state, so that states can be exchanged with it.
_STATE = np.dtype([
    ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", WORDS),
    ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i4"),
    ("padding", "<i4"), ("float_normal", "<f4"), ("float_normal_is_valid", "<i4"),
])


class Generator:
    """A sequence of random numbers with a place in it.

    Args:
        device: which device's tensors it is for; the numbers are drawn on the CPU.

    Attributes:
        spare_normal: the second of a pair of normal numbers, kept for the next draw; or None.

    Example:
        >>> Generator().manual_seed(3).initial_seed()
        3
    """

    __slots__ = ("_device", "_seed", "_twister", "spare_normal")

    def __init__(self, device: str | device = "cpu") -> None:
        self._device = check(device)
        if self._device.type == "meta":
            raise RuntimeError("META device type not an accelerator.")
        self.manual_seed(FIRST_SEED)

    @property
    def _source(self) -> "np.random.MT19937":
        """NumPy's twister, seeded when first needed: `numpy.random` takes time to import."""
        if self._twister is None:
            seeder = np.random.RandomState(self._seed & 0xFFFFFFFF)   # it seeds as PyTorch does
            self._twister = np.random.MT19937(0)
            self._twister.state = seeder.get_state(legacy=False)
        return self._twister

    @property
    def device(self) -> device:
        """The device of the tensors that it is for."""
        return self._device

    def manual_seed(self, seed: int) -> "Generator":
        """Start the sequence that belongs to `seed`, and return this generator.

        Args:
            seed: from -2**63 to 2**64 - 1; a negative one means 2**64 more.

        Raises:
            RuntimeError: when seed is not an int.
            ValueError: when it is out of range.
        """
        if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = int(seed)
        if not -2**63 <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: seed {seed} does not fit in 64 "
                             "bits")
        self._seed, self._twister, self.spare_normal = seed % 2**64, None, None
        return self

    def seed(self) -> int:
        """Start a sequence that nobody can foresee, and return its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 11)
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the sequence started from."""
        return self._seed

    def words(self, n: int) -> np.ndarray:
        """The next n words: shape (n,), uint64 with values below 2**32."""
        return self._source.random_raw(n)

    def long_words(self, n: int) -> np.ndarray:
        """The next n 64-bit words, each of two words, the high one first: shape (n,), uint64."""
        pairs = self._source.random_raw(2 * n)
        return pairs[0::2] << np.uint64(32) | pairs[1::2]

    def floats(self, n: int) -> np.ndarray:
        """The next n numbers of [0, 1), of 24 bits each: shape (n,), float32."""
        bits = self.words(n) & np.uint64(2**24 - 1)
        return bits.astype(np.float32) * np.float32(2**-24)

    def doubles(self, n: int) -> np.ndarray:
        """The next n numbers of [0, 1), of 53 bits each: shape (n,), float64."""
        bits = self.long_words(n) & np.uint64(2**53 - 1)
        return bits.astype(np.float64) * np.float64(2**-53)

    def get_state(self) -> np.ndarray:
        """The place in the sequence, as 5056 bytes in PyTorch's layout: uint8."""
        twister = self._source.state["state"]
        record = np.zeros(1, _STATE)
        place = int(twister["pos"]) % WORDS        # all words used up is the same as none made
        record["seed"], record["seeded"] = self._seed, 1
        record["left"], record["next"] = WORDS + 1 - place if place else 1, place
        record["words"] = twister["key"]
        if self.spare_normal is not None:
            record["normal_y"], record["normal_is_valid"] = self.spare_normal, 1
        return record.view(np.uint8)

    def set_state(self, new_state: np.ndarray) -> None:
        """Go to the place that `get_state`, here or in PyTorch, has returned.

        Raises:
            TypeError: when the state is not an array of uint8.
            RuntimeError: when it has another size or makes no sense.
        """
        if getattr(new_state, "dtype", None) != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.size != _STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but "
                               f"found the input RNG state size to be {new_state.size}")
        record = np.ascontiguousarray(new_state).reshape(-1).view(_STATE)[0]
        if record["seeded"] != 1 or not 0 < record["left"] <= WORDS or record["next"] > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        place = WORDS if record["left"] == 1 else int(record["next"])
        self._source.state = {"bit_generator": "MT19937", "state": {
            "key": record["words"].astype(np.uint32), "pos": place}}
        self._seed = int(record["seed"])
        self.spare_normal = float(record["normal_y"]) if record["normal_is_valid"] else None

    def clone_state(self) -> "Generator":
        """Another generator at the same place."""
        twin = Generator(self._device)
        twin.set_state(self.get_state())
        return twin

    def __getstate__(self) -> np.ndarray:
        return self.get_state()

    def __setstate__(self, state: np.ndarray) -> None:
        self.__init__()
        self.set_state(state)


default_generator = Generator()
GPUS: dict[int, Generator] = {}            # of each GPU


def default_for(where: device) -> Generator:
    """The generator from which a device's tensors are drawn unless another is named."""
    if where.type != "cuda":
        return default_generator
    found = GPUS.get(where.index)
    if found is None:
        found = GPUS[where.index] = Generator(where).manual_seed(default_generator.initial_seed())
    return found


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, from which draws come unless they name another.

    Example:
        >>> manual_seed(0) is default_generator
        True
    """
    for generator in GPUS.values():
        generator.manual_seed(int(seed))
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator with a number nobody can foresee, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> np.ndarray:
    """The state of the default generator: 5056 values of uint8."""
    return default_generator.get_state()


def set_rng_state(new_state: np.ndarray) -> None:
    """Set the state of the default generator to one that `get_rng_state` has returned."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(enabled: bool = True) -> Iterator[None]:
    """Draw inside a `with` block without moving the default generator for what follows it."""
    before = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(before)
