"""Data loading: the same batches from the same seed as PyTorch."""

import numpy as np
import pytest

import autodidact as ad

PROGRAMS = {
    "in order": "D(T, 4)",
    "shuffled": "D(T, 4, shuffle=True)",
    "shuffled, last dropped": "D(T, 4, shuffle=True, drop_last=True)",
    "own generator": "D(T, 3, shuffle=True, generator=g)",
    "with replacement": "D(T, 3, sampler=d.RandomSampler(T, True, 40))",
    "more than there are": "D(T, 3, sampler=d.RandomSampler(T, False, 25, generator=g))",
    "subset": "D(T, 2, sampler=d.SubsetRandomSampler([1, 3, 5, 7]))",
    "weighted": "D(T, 2, sampler=d.WeightedRandomSampler([1.0, 2, 0, 4, 5, 1, 1, 1, 1, 1], 8))",
    "batch sampler": "D(T, batch_sampler=d.BatchSampler(d.SequentialSampler(T), 4, True))",
    "single": "D(T, None)",
    "two parts": "D(d.random_split(T, [7, 3])[0], 2)",
    "fractions": "D(d.random_split(T, [0.55, 0.45], g)[1], 2, shuffle=True)",
    "joined": "D(d.ConcatDataset([T, d.Subset(T, [2, 4])]), 5)",
    "added": "D(T + T, 7)",
    "dicts": "D([{'x': 1.5, 'y': [1, 2]}, {'x': 2.5, 'y': [3, 4]}], 2)",
    "arrays and texts": "D([(np.ones(2), 'a', np.float32(3)), (np.zeros(2), 'b', "
                        "np.float32(4))], 2)",
    "iterable": "D(I(), 3)",
    "stacked": "D(d.StackDataset(a=T, b=range(10)), 4)",
}


def plain(value):
    """Batches as plain data, with dtypes."""
    if hasattr(value, "detach"):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(plain, value)]
    return value


def epochs(torch, code):
    """Two walks through a loader, and a random number that shows where the generator is."""
    torch.manual_seed(11)
    data = torch.utils.data

    class Numbers(data.IterableDataset):
        def __iter__(self):
            return iter(range(7))
    space = {"d": data, "D": data.DataLoader, "I": Numbers, "np": np,
             "g": torch.Generator().manual_seed(5),
             "T": data.TensorDataset(torch.arange(20).reshape(10, 2), torch.arange(10) * 1.0)}
    loader = eval(code, space)
    found = [[plain(batch) for batch in loader] for _ in range(2)]
    length = None if "I()" in code else len(loader)
    return found, length, torch.rand(2).tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_batches_are_those_of_pytorch(name, oracle):
    from torch.utils import data  # noqa: F401 - torch loads it on demand
    assert epochs(ad, PROGRAMS[name]) == epochs(oracle, PROGRAMS[name])


def test_the_order_of_a_seed():
    ad.manual_seed(0)
    loader = ad.utils.data.DataLoader(range(6), 3, shuffle=True)
    assert [batch.tolist() for batch in loader] == SHUFFLED


SHUFFLED = [[0, 4, 3], [5, 2, 1]]


@pytest.mark.parametrize("code", [
    "D(T, 0)", "D(T, shuffle=True, sampler=[1])", "D(T, None, drop_last=True)",
    "D(T, 2, batch_sampler=[[1]])", "d.random_split(T, [3, 3])",
    "d.TensorDataset(T[:][0], T[:2][0])",
    "D(T, 2, collate_fn=None, num_workers=-1)"])
def test_refusals_are_those_of_pytorch(code, oracle):
    found = []
    for torch in (ad, oracle):
        data = torch.utils.data
        T = data.TensorDataset(torch.arange(20).reshape(10, 2), torch.arange(10))
        with pytest.raises((ValueError, TypeError, AssertionError)) as caught:
            eval(code, {"d": data, "D": data.DataLoader, "T": T})
        found.append(caught.type)
    assert found[0] is found[1]


def test_examples_of_unequal_length_are_refused():
    with pytest.raises(RuntimeError, match="equal size"):
        list(ad.utils.data.DataLoader([[1, 2], [3]], 2))


def test_rows_of_a_tensor_dataset_come_at_once_as_they_come_one_by_one():
    """The quick way is for plain datasets only, and gives the same batches."""
    class Own(ad.utils.data.TensorDataset):
        def __getitem__(self, index):
            return tuple(-row for row in super().__getitem__(index))

    x, y = ad.arange(12.0).reshape(6, 2), ad.arange(6)
    plain, own = ad.utils.data.TensorDataset(x, y), Own(x, y)
    inner = ad.utils.data.Subset(ad.utils.data.Subset(plain, [5, 3, 1, 0]), [2, 0, 1])
    (first, numbers), = ad.utils.data.DataLoader(inner, 3)
    assert first.tolist() == [[2, 3], [10, 11], [6, 7]] and numbers.tolist() == [1, 5, 3]
    one_by_one = [ad.utils.data.default_collate([plain[i] for i in pair])
                  for pair in ([0, 1], [2, 3])]
    for got, want in zip(ad.utils.data.DataLoader(plain, 2), one_by_one, strict=False):
        assert type(got) is list and all(ad.equal(a, b) for a, b in zip(got, want, strict=True))
    assert next(iter(ad.utils.data.DataLoader(own, 2)))[1].tolist() == [0, -1]
    recorded = ad.utils.data.TensorDataset(x.clone().requires_grad_())
    (batch,) = next(iter(ad.utils.data.DataLoader(recorded, 2)))
    assert batch.grad_fn.name() == "StackBackward0"
    with pytest.raises(IndexError):
        list(ad.utils.data.DataLoader(plain, 2, sampler=[0, 6]))


def test_nobody_else_reads(oracle):
    assert ad.utils.data.get_worker_info() is oracle.utils.data.get_worker_info() is None
