"""W23, the training film: what it keeps, what it costs, what it leaves alone."""

import gc
import itertools
import json
import time
import weakref

import numpy as np
import pytest
from autodidact_widgets import film

import autodidact as torch
from autodidact.autograd import engine
from autodidact.trace.film import EVERY

FACTOR = 2.5        # a hundred steps with a film, one of them whole, against a hundred without


def ready(hidden=None):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 10)) \
        if hidden else nn.Linear(2, 1)
    return model, torch.optim.Adam(model.parameters(), lr=3e-3)


X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def train(model, optimizer, x=X):
    optimizer.zero_grad()
    h = model(x)
    loss = h.square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def filmed(steps=5, every=2):
    model, optimizer = ready()
    training, losses = film(model, every=every), []
    for _ in range(steps):
        with training:
            losses.append(train(model, optimizer))
    return training, model, losses


def test_every_step_has_loss_and_norms_and_some_have_all_their_moments():
    training, model, losses = filmed()
    frames = training.film.frames
    assert [frame["loss"] for frame in frames] == losses
    assert [bool(frame["moments"]) for frame in frames] == [True, False, True, False, True]
    for one, other in itertools.pairwise(frames):
        assert one["after"] == other["before"]
    assert frames[-1]["after"][0] == float(np.linalg.norm(model.weight.detach().numpy()))
    parts = [moment["part"] for moment in frames[2]["moments"]]
    assert parts == sorted(parts, key=["forward", "loss", "backward", "optimizer"].index)
    assert [m["who"] for m in frames[0]["moments"] if m["part"] == "optimizer"] == [
        "weight", "bias"]
    assert set(training.film.records) == {0, 2, 4}
    assert training.record(2).state(-1)["end"] == "ok"
    json.dumps(training.show()._driver.head, allow_nan=False)


def test_a_film_changes_nothing():
    _, model, losses = filmed()
    plain, optimizer = ready()
    assert [train(plain, optimizer) for _ in range(5)] == losses
    assert torch.equal(plain.weight, model.weight)
    assert engine.task_class is engine.GraphTask


def test_the_text_of_a_place_and_jumps():
    training, _, _ = filmed()
    stepper = training.show()
    assert "film of 5 training steps   step 0, forward, 1 of" in stepper.text()
    assert "> optimizer   weight" in stepper.jump(2, "optimizer").text()
    stepper.step()
    assert "> optimizer   bias" in stepper.text()
    assert "the whole steps are 0, 2 and 4" in stepper.jump(3).text()
    assert stepper.jump(4, "loss").text() == training.text(4, "loss")
    for step, part in ((9, None), (3, "loss"), (0, "nothing")):
        with pytest.raises(ValueError, match="the film has no step"):
            stepper.jump(step, part)
    assert "<pre>" in stepper._page() and "film of" in repr(training)


def test_an_exception_in_a_step_goes_on_and_the_film_too():
    model, optimizer = ready()
    training = film(model)
    with pytest.raises(ZeroDivisionError), training:
        train(model, optimizer)
        raise ZeroDivisionError
    with training:
        train(model, optimizer)
    assert len(training) == 2 and engine.task_class is engine.GraphTask


def test_a_list_of_tensors_goes_by_their_names_and_nothing_else_is_taken():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    training = film([w])
    with training:
        (w * w).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert training.film.layers == [{"name": "w", "shape": "(2,)", "size": 2}]
    assert "[1, 2] -> [0.8, 1.6], gradient [2, 4]" in training.text(0, "optimizer")
    for wrong in ([], 3, {"a": 1}, w):
        with pytest.raises(TypeError, match="film"):
            film(wrong)
    with pytest.raises(ValueError, match="yet"):
        film([w]).show()


def test_a_film_keeps_no_graph():
    model, optimizer = ready()
    training = film(model, every=1)
    with training:
        optimizer.zero_grad()
        loss = model(X).square().mean()
        loss.backward()
        optimizer.step()
    node = weakref.ref(loss.grad_fn)
    del loss
    gc.collect()
    assert node() is None and len(training) == 1


def test_a_hundred_steps_take_at_most_so_many_times_as_long():
    x = torch.rand(64, 64)
    model, optimizer = ready(64)

    def seconds(training):
        start = time.process_time()
        for _ in range(100):
            if training is None:
                train(model, optimizer, x)
            else:
                with training:
                    train(model, optimizer, x)
        return time.process_time() - start

    seconds(None), seconds(film(model))
    plain, filmed = [], []                # other work on the machine only ever adds: the quickest
    for _ in range(5):
        plain.append(seconds(None))
        filmed.append(seconds(film(model, every=EVERY)))
    assert min(filmed) < FACTOR * min(plain), (plain, filmed)


def test_the_film_follows_the_language():
    training, _, _ = filmed(3)
    stepper = training.show().jump(2, "loss")
    try:
        torch.set_language("ru")
        assert "фильм из 3 шагов обучения   шаг 2, потери" in stepper.text()
        assert "норма до" in stepper._head["frames"][0]["table"][0]
    finally:
        torch.set_language("en")
    assert "film of 3 training steps   step 2, loss" in stepper.text()
