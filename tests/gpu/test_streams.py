"""The engine on streams, by PyTorch's rules, on a simulated GPU that notices races."""

import pytest

import autodidact as ad
from autodidact.arrays.simulated import simulated_gpu


@pytest.fixture
def gpu():
    with simulated_gpu(2) as driver:
        yield driver


def kernels(driver, work):
    """The operations that `work` asks for: (stream number, name)."""
    driver.logging, driver.log = True, []
    work()
    driver.logging = False
    return [(queue.number, name) for queue, name in driver.log]


def test_an_operation_on_another_stream_that_does_not_wait_is_a_race(gpu):
    x = ad.ones(3, device="cuda")
    with ad.cuda.stream(ad.cuda.Stream()):
        x * 2
    assert [race.name for race in gpu.races] == ["multiply"]


@pytest.mark.parametrize("wait", [
    lambda side: side.wait_stream(ad.cuda.current_stream()),
    lambda side: side.wait_event(ad.cuda.current_stream().record_event()),
    lambda side: ad.cuda.current_stream().record_event().wait(side),
])
def test_one_that_waits_is_none(gpu, wait):
    x, side = ad.ones(3, device="cuda"), ad.cuda.Stream()
    wait(side)
    with ad.cuda.stream(side):
        x * 2
    assert not gpu.races


def test_an_event_covers_what_came_before_it_only(gpu):
    side = ad.cuda.Stream()
    event = ad.cuda.current_stream().record_event()
    x = ad.ones(3, device="cuda")
    side.wait_event(event)
    with ad.cuda.stream(side):
        x * 2
    assert len(gpu.races) == 1


def test_waiting_reaches_through_a_third_stream(gpu):
    x, one, two = ad.ones(3, device="cuda"), ad.cuda.Stream(), ad.cuda.Stream()
    one.wait_stream(ad.cuda.current_stream())
    two.wait_stream(one)
    with ad.cuda.stream(two):
        x * 2
    assert not gpu.races


def forward_on_two_streams():
    """x on the default stream; the middle of the graph on another."""
    x, side = ad.ones(3, device="cuda", requires_grad=True), ad.cuda.Stream()
    side.wait_stream(ad.cuda.current_stream())
    with ad.cuda.stream(side):
        y = x.exp() * x
    ad.cuda.current_stream().wait_stream(side)
    return x, (y * 3).sum(), side


def test_backward_runs_on_the_streams_of_the_forward(gpu):
    x, loss, side = forward_on_two_streams()
    log = kernels(gpu, loss.backward)
    streams = [number for number, name in log if name == "multiply"]
    assert streams == [0, side.stream_id, side.stream_id, side.stream_id]    # y*3; x, exp(x); exp
    assert not gpu.races
    assert x.grad.tolist() == pytest.approx([3 * 2 * 2.718281828] * 3)
    assert not gpu.races                           # what follows may read .grad without waiting


def test_backward_inside_a_stream_and_a_gradient_from_there(gpu):
    x, loss, _ = forward_on_two_streams()
    other = ad.cuda.Stream()
    other.wait_stream(ad.cuda.current_stream())
    with ad.cuda.stream(other):
        loss.backward(ad.full((), 2.0, device="cuda"))
        x.grad + 1                                 # on the stream that was current at the call
    assert not gpu.races


def test_grad_and_create_graph(gpu):
    x, loss, _ = forward_on_two_streams()
    first, = ad.autograd.grad(loss, x, create_graph=True)
    second, = ad.autograd.grad(first.sum(), x)
    assert second.tolist() == pytest.approx([3 * 3 * 2.718281828] * 3)
    assert not gpu.races


def test_two_gradients_that_meet_come_from_two_streams(gpu):
    x = ad.ones(3, device="cuda", requires_grad=True)
    y, parts = x * 2, []
    for _ in range(2):
        side = ad.cuda.Stream()
        side.wait_stream(ad.cuda.current_stream())
        with ad.cuda.stream(side):
            parts.append(y.exp().sum())
        ad.cuda.current_stream().wait_stream(side)
    (parts[0] + parts[1]).backward()
    assert not gpu.races


def test_accumulation_into_an_old_gradient(gpu):
    x, loss, _ = forward_on_two_streams()
    x.grad = ad.ones(3, device="cuda")
    kept = x.grad
    loss.backward()
    assert x.grad is kept and not gpu.races


def test_two_gpus(gpu):
    x = ad.ones(3, device="cuda:0", requires_grad=True)
    y = (x.exp().to("cuda:1") * 2).sum()
    assert y.device == ad.device("cuda:1")
    y.backward()
    assert x.grad.device == ad.device("cuda:0") and not gpu.races
    with pytest.raises(RuntimeError, match="at least two devices, cuda:0 and cuda:1!"):
        x + y.expand(3)


def test_streams_are_left_as_they_were(gpu):
    side = ad.cuda.Stream()
    with pytest.raises(ZeroDivisionError), ad.cuda.stream(side):
        assert ad.cuda.current_stream() == side
        raise ZeroDivisionError
    assert ad.cuda.current_stream() == ad.cuda.default_stream()
    with ad.cuda.stream(None):
        assert ad.cuda.current_stream().stream_id == 0


def test_an_exception_in_backward_leaves_the_stream(gpu):
    x, loss, _ = forward_on_two_streams()
    x.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        loss.backward()
    assert ad.cuda.current_stream() == ad.cuda.default_stream()


def test_without_a_second_stream_the_engine_is_the_usual_one(gpu):
    x = ad.ones(3, device="cuda", requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda grad: seen.append(type(ad.autograd.engine.mode.task).__mro__))
    y.sum().backward()
    assert [kind.__name__ for kind in seen[0]] == ["GraphTask", "object"]
