"""Every optimizer and schedule against PyTorch: live where it is installed, recorded everywhere."""

import json
from pathlib import Path

import numpy as np
import pytest

import autodidact as ad
from tests.optim.programs import OPTIMIZERS, SCHEDULES, optimized, scheduled

ANSWERS = Path(__file__).parent / "answers.json"


def close(a, b):
    """The same structure, texts and numbers (to ten digits)."""
    if isinstance(b, dict):
        assert a.keys() == b.keys()
        for key in b:
            close(a[key], b[key])
    elif isinstance(b, list):
        assert len(a) == len(b)
        if b and all(isinstance(x, float) for x in b):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
        else:
            for x, y in zip(a, b, strict=True):
                close(x, y)
    elif isinstance(b, float):
        assert a == pytest.approx(b, rel=1e-8, abs=1e-10, nan_ok=True)
    else:
        assert a == b


def known(kind, code):
    """The recorded answer."""
    return json.loads(ANSWERS.read_text(encoding="utf-8"))[kind][code]


def as_json(found):
    """Tuples and NumPy's numbers as JSON has them."""
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("code", OPTIMIZERS)
def test_optimizer_is_that_of_pytorch(code, oracle):
    close(as_json(optimized(code, ad)), as_json(optimized(code, oracle)))


@pytest.mark.parametrize("code", OPTIMIZERS)
def test_optimizer_is_as_recorded(code):
    close(as_json(optimized(code, ad)), known("optimizers", code))


@pytest.mark.parametrize("code", SCHEDULES)
def test_schedule_is_that_of_pytorch(code, oracle):
    close(as_json(scheduled(code, ad)), as_json(scheduled(code, oracle)))


@pytest.mark.parametrize("code", SCHEDULES)
def test_schedule_is_as_recorded(code):
    close(as_json(scheduled(code, ad)), known("schedules", code))


@pytest.mark.parametrize("code", SCHEDULES)
def test_schedule_goes_on_from_a_saved_state(code):
    optimizer = ad.optim.SGD([ad.zeros(1, requires_grad=True)], lr=0.2, momentum=0.9)
    space = {"o": optimizer, "s": ad.optim.lr_scheduler}
    scheduler, rates = eval(f"s.{code}", space), []
    optimizer.step()
    for step in range(6):
        scheduler.step()
        rates.append(scheduler.get_last_lr())
        if step == 2:
            saved, groups = scheduler.state_dict(), optimizer.state_dict()
            saved = json.loads(json.dumps({k: v for k, v in saved.items() if plain_data(v)}))
    again = eval(f"s.{code}", space)
    optimizer.load_state_dict(groups)
    optimizer.step()
    again.load_state_dict(scheduler.state_dict() | saved)
    if "_schedulers" in saved:
        again.load_state_dict(saved)
    for expected in rates[3:]:
        again.step()
        assert again.get_last_lr() == pytest.approx(expected, rel=1e-12)


def plain_data(value):
    """Whether JSON keeps a value as it is; keys that are numbers would become texts."""
    if isinstance(value, dict):
        return all(isinstance(k, str) and plain_data(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(plain_data, value))
    return isinstance(value, int | float | str | None)


def test_plateau(oracle):
    paths = []
    for torch in (ad, oracle):
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.8)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=0.5, patience=1, cooldown=1, min_lr=0.15)
        path = []
        for metric in (5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3):
            scheduler.step(metric)
            path.append(optimizer.param_groups[0]["lr"])
        paths.append(path)
    assert paths[0] == paths[1] and len(set(paths[0])) > 2


@pytest.mark.parametrize("code", [
    "SGD([], lr=0.1)", "SGD(p, lr=-1.0)", "SGD(p, lr=0.1, nesterov=True)",
    "Adam(p, betas=(1.0, 0))",
    "SGD([{'params': p}, {'params': p[:1]}], lr=0.1)", "SGD(p[0])",
    "SGD([3.0], lr=0.1)", "SGD([p[0] * 2], lr=0.1)", "SGD([{'params': set(p)}], lr=0.1)",
    "LBFGS([{'params': p[:1]}, {'params': p[1:]}])"])
def test_refusals_are_those_of_pytorch(code, oracle):
    found = []
    for torch in (ad, oracle):
        p = [torch.zeros(2, requires_grad=True), torch.ones(3, requires_grad=True)]
        with pytest.raises((ValueError, TypeError, RuntimeError)) as caught, \
                np.errstate(all="ignore"):
            eval(f"optim.{code}", {"optim": torch.optim, "p": p})
        found.append(caught.type)
    assert found[0] is found[1]


def test_a_zero_gradient_moves_by_momentum_and_none_does_not():
    w = ad.tensor([1.0], requires_grad=True)
    optimizer = ad.optim.SGD([w], lr=0.1, momentum=0.9)
    (w * w).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    optimizer.step()
    assert w.tolist() == pytest.approx([0.8])
    w.grad = ad.zeros(1)
    optimizer.step()
    assert w.tolist() == pytest.approx([0.62])


def test_a_step_counts_as_a_write():
    w = ad.tensor([1.0], requires_grad=True)
    optimizer = ad.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_hooks_of_steps():
    seen, w = [], ad.zeros(1, requires_grad=True)
    optimizer = ad.optim.SGD([w], lr=0.1)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before"))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["before", "after", "before"]


@pytest.mark.parametrize("words", [
    {"swa_lr": 0.05}, {"swa_lr": 0.5, "anneal_epochs": 4, "anneal_strategy": "linear"},
    {"swa_lr": 0.05, "anneal_epochs": 0}, {"swa_lr": [0.1, 0.3], "anneal_epochs": 3}])
def test_rates_of_averaging(words, oracle):
    found = []
    for torch in (ad, oracle):
        p = [torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)]
        optimizer = torch.optim.SGD([{"params": p[:1]}, {"params": p[1:], "lr": 0.7}], lr=0.2)
        swa, rates = torch.optim.swa_utils.SWALR(optimizer, **words), []
        for _ in range(12):
            rates += swa.get_last_lr()
            optimizer.step()
            swa.step()
        found.append(rates)
        with pytest.raises(ValueError, match="anneal_strategy"):
            torch.optim.swa_utils.SWALR(optimizer, 0.1, anneal_strategy="x")
    assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("words", [
    {}, {"lr": 0.1, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"},
    {"lr": 0.1, "weight_decay": 0.0, "ns_steps": 3, "ns_coefficients": (2.0, -1.5, 0.5)}])
def test_muon(words, oracle):
    """It counts in bfloat16: compared with the length of a step."""
    found = []
    for torch in (ad, oracle):
        rng = np.random.default_rng(3)
        p = [torch.tensor(rng.normal(size=size), requires_grad=True) for size in ((2, 3), (5, 2))]
        optimizer = torch.optim.Muon(p, **words)
        for _ in range(4):
            optimizer.zero_grad()
            (((p[0] - 1) ** 2).sum() + (p[1] @ p[0]).sin().sum()).backward()
            optimizer.step()
        found.append((repr(optimizer), [q.detach().numpy() for q in p],
                      optimizer.state_dict()["state"][1]["momentum_buffer"].numpy()))
    (ours, p, buffer), (theirs, q, expected) = found
    assert ours == theirs
    np.testing.assert_allclose(buffer, expected, rtol=0, atol=0.05 * words.get("lr", 1e-3))
    for a, b in zip(p, q, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=0.05 * words.get("lr", 1e-3))


@pytest.mark.parametrize("code", [
    "Muon(v)", "Muon(m, lr=-1)", "Muon(m, momentum=-1)", "Muon(m, weight_decay=-1)",
    "Muon(m, adjust_lr_fn='x')", "Muon(m, ns_coefficients=(1, 2)).step()",
    "Muon(m, ns_steps=100).step()", "Adafactor(m, lr=-1)", "Adafactor(m, beta2_decay=1)",
    "Adafactor(m, eps=(-1, 1))", "Adafactor(m, eps=(None, -1))", "Adafactor(m, d=0.5)",
    "Adafactor(m, weight_decay=-1)"])
def test_values_that_make_no_sense(code, oracle):
    found = []
    for torch in (ad, oracle):
        m = torch.ones(2, 2, requires_grad=True)
        m.grad = torch.ones(2, 2)
        with pytest.raises(ValueError) as caught:
            eval(f"optim.{code}", {"optim": torch.optim, "m": [m],
                                   "v": [torch.ones(3, requires_grad=True)]})
        found.append(str(caught.value))
    assert found[0] == found[1]


def test_average_of_models(oracle):
    found = []
    for torch in (ad, oracle):
        torch.manual_seed(0)
        model = torch.nn.Linear(2, 1)
        swa = torch.optim.swa_utils
        for options in ({}, {"avg_fn": swa.get_ema_avg_fn(0.9)},
                        {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.8)},
                        {"multi_avg_fn": swa.get_swa_multi_avg_fn()}):
            averaged = torch.optim.swa_utils.AveragedModel(model, **options)
            for _ in range(3):
                with torch.no_grad():
                    model.weight.mul_(0.5)
                averaged.update_parameters(model)
            found.append(averaged.module.weight.tolist()[0] + [int(averaged.n_averaged)])
        with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
            swa.AveragedModel(model, avg_fn=swa.get_ema_avg_fn(),
                              multi_avg_fn=swa.get_ema_multi_avg_fn())
    for ours, theirs in zip(found[:4], found[4:], strict=True):
        assert ours == pytest.approx(theirs)
