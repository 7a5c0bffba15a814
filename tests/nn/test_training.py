"""Ten steps of training for each family of models: the same numbers as in PyTorch.

Same seed, same first weights, same batches in the same order, same dropout: losses and parameters
agree to 1e-5 in float32 and to 1e-10 in float64, relative to a tensor's largest entry.
"""

import numpy as np
import pytest

import autodidact as ad

STEPS = 10


def batches(torch, *makers):
    """A loader that shuffles by the library's own seed; its numbers are the same in both."""
    rng = np.random.default_rng(5)
    data = torch.utils.data.TensorDataset(*(torch.tensor(make(rng)) for make in makers))
    return torch.utils.data.DataLoader(data, batch_size=4, shuffle=True, drop_last=True)


def floats(*shape):
    """Maker of random numbers."""
    return lambda rng: rng.normal(size=(24, *shape))


def classes(count, *shape):
    """Maker of random classes."""
    return lambda rng: rng.integers(0, count, (24, *shape))


def mlp(torch, nn):
    model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Dropout(0.2),
                          nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))
    return model, batches(torch, floats(6), classes(3)), nn.CrossEntropyLoss()


def cnn(torch, nn):
    model = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(),
                          nn.MaxPool2d(2), nn.Dropout2d(0.2), nn.Conv2d(6, 8, 3, groups=2),
                          nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(8, 4))
    return model, batches(torch, floats(2, 8, 8), classes(4)), nn.CrossEntropyLoss()


def autoencoder(torch, nn):
    model = nn.Sequential(nn.Conv1d(3, 5, 4, stride=2), nn.ELU(), nn.Conv1d(5, 2, 3), nn.Tanh(),
                          nn.ConvTranspose1d(2, 5, 3), nn.LeakyReLU(),
                          nn.ConvTranspose1d(5, 3, 4, stride=2))
    return model, batches(torch, floats(3, 12)), lambda out, x: ((out - x) ** 2).mean()


def recurrent(kind):
    """A model that reads sequences with `kind` and tells the class of each."""
    def family(torch, nn):
        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(9, 5, padding_idx=0)
                self.read = getattr(nn, kind)(5, 7, num_layers=2, batch_first=True, dropout=0.1,
                                              bidirectional=True)
                self.say = nn.Linear(14, 3)

            def forward(self, x):
                return self.say(self.read(self.embed(x))[0].mean(1))
        return Reader(), batches(torch, classes(9, 6), classes(3)), nn.CrossEntropyLoss()
    family.__name__ = kind.lower()
    return family


def transformer(torch, nn):
    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(9, 8)
            self.turn = nn.Transformer(8, 2, 1, 1, 16, 0.1, batch_first=True)
            self.say = nn.Linear(8, 9)

        def forward(self, x):
            x = self.embed(x)
            mask = nn.Transformer.generate_square_subsequent_mask(5).to(x.dtype)
            return self.say(self.turn(x, x, tgt_mask=mask)).flatten(0, 1)
    return (Translator(), batches(torch, classes(9, 5), classes(9, 5)),
            lambda out, y: nn.functional.cross_entropy(out, y.flatten()))


FAMILIES = [mlp, cnn, autoencoder, *map(recurrent, ("RNN", "LSTM", "GRU")), transformer]
# A bias before BatchNorm, or of attention's keys, has no gradient but rounding; divided by its own
# size, as Adam does, rounding would be a step. A larger eps keeps it what it is.
OPTIMIZERS = {"SGD": {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01},
              "Adam": {"lr": 0.01, "eps": 1e-2},
              "AdamW": {"lr": 0.01, "amsgrad": True, "eps": 1e-2},
              "RMSprop": {"lr": 0.003, "eps": 1e-2}}


def trained(torch, family, kind, optimizer):
    """The losses of ten steps, and the state at the end."""
    torch.manual_seed(11)
    torch.set_default_dtype(getattr(torch, kind))      # float32 normals may differ by a bit
    try:
        model, loader, loss_of = family(torch, torch.nn)
    finally:
        torch.set_default_dtype(torch.float32)
    steps = getattr(torch.optim, optimizer)(model.parameters(), **OPTIMIZERS[optimizer])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(steps, STEPS)
    losses = []
    while len(losses) < STEPS:
        for batch in loader:
            x, *y = (t.to(getattr(torch, kind)) if t.is_floating_point() else t for t in batch)
            steps.zero_grad()
            loss = loss_of(model(x), *(y or [x]))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            steps.step()
            schedule.step()
            losses.append(loss.item())
    return losses[:STEPS], {name: t.detach().numpy() for name, t in model.state_dict().items()}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("kind", "near"), [("float32", 1e-5), ("float64", 1e-10)])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_ten_steps_are_those_of_pytorch(family, kind, near, optimizer, oracle):
    losses, state = trained(ad, family, kind, optimizer)
    wanted, end = trained(oracle, family, kind, optimizer)
    assert losses == pytest.approx(wanted, rel=near) and losses[0] != losses[-1]
    assert state.keys() == end.keys()
    for name, theirs in end.items():
        scale = np.abs(theirs).max(initial=0) or 1
        np.testing.assert_allclose(state[name] / scale, theirs / scale, rtol=0, atol=near,
                                   err_msg=name)
