"""Connectionist temporal classification: the likelihood of a sequence stretched over time."""


import numpy as np

from autodidact.arrays.foreign import ForeignArray
from autodidact.arrays.place import put, to_host
from autodidact.ops.op import Op

ctc_loss = Op("ctc_loss(log_probs, *, targets, steps, blank)",     # -log of the sum over all ways
    forward = lambda log_probs, targets, steps, blank: losses(log_probs, targets, steps, blank),
    vjp     = {"log_probs": lambda grad, log_probs, targets, steps, blank:
               ctc_backward(grad, log_probs, targets, steps, blank)},
    jvp     = lambda log_probs_t, log_probs, result, targets, steps, blank: (
              log_probs_t * ctc_backward(np.ones_like(result), log_probs, targets, steps, blank)
              ).sum(axis=(0, 2)))

ctc_backward = Op("ctc_backward(grad, log_probs, *, targets, steps, blank)",
    forward = lambda grad, log_probs, targets, steps, blank:
              slopes(grad, log_probs, targets, steps, blank))


# ---- longer mathematics -------------------------------------------------------------------------


def spaced(labels: tuple, blank: int) -> np.ndarray:
    """The labels with blanks before, between and after."""
    found = np.full(2 * len(labels) + 1, blank, np.int64)
    found[1::2] = labels
    return found


def ways(scores: np.ndarray, states: np.ndarray, blank: int) -> np.ndarray:
    """For every step and state the logarithm of the probability of all ways that lead there.

    A way stays, goes to the next state, or skips a blank between different labels.
    """
    alpha = np.full((len(scores), len(states)), -np.inf, scores.dtype)
    if not len(scores):
        return alpha
    alpha[0, :2] = scores[0, states[:2]]
    skip = np.zeros(len(states), bool)
    skip[2:] = (states[2:] != blank) & (states[2:] != states[:-2])
    for t in range(1, len(scores)):
        before = alpha[t - 1]
        one, two = np.full_like(before, -np.inf), np.full_like(before, -np.inf)
        one[1:], two[2:] = before[:-1], before[:-2]
        two[~skip] = -np.inf
        alpha[t] = np.logaddexp(np.logaddexp(before, one), two) + scores[t, states]
    return alpha


def losses(scores: np.ndarray, targets: tuple, steps: tuple, blank: int) -> np.ndarray:
    """The loss of each example."""
    if isinstance(scores, ForeignArray):                # step by step: on the CPU
        return put(losses(to_host(scores), targets, steps, blank), scores.device)
    found = np.empty(scores.shape[1], scores.dtype)
    for i, (labels, n) in enumerate(zip(targets, steps, strict=True)):
        states = spaced(labels, blank)
        if n == 0:
            found[i] = 0 if not labels else np.inf
        else:
            found[i] = -np.logaddexp.reduce(ways(scores[:n, i], states, blank)[-1, -2:])
    return found


def slopes(grad: np.ndarray, scores: np.ndarray, targets: tuple, steps: tuple,
           blank: int) -> np.ndarray:
    """exp(score) minus the share of ways that are in a class at each step.

    PyTorch's formula: it takes the scores to come from log_softmax, whose gradient it anticipates.
    """
    if isinstance(scores, ForeignArray):
        return put(slopes(to_host(grad), to_host(scores), targets, steps, blank), scores.device)
    found = np.zeros_like(scores)
    for i, (labels, n) in enumerate(zip(targets, steps, strict=True)):
        states, y = spaced(labels, blank), scores[:n, i]
        if not n:
            continue
        forth = ways(y, states, blank)
        back = ways(y[::-1], states[::-1], blank)[::-1, ::-1]
        total = np.logaddexp.reduce(forth[-1, -2:])
        shares = np.zeros_like(y)
        both = np.exp(forth + back - y[:, states] - total)
        np.add.at(shares, (slice(None), states), both)
        found[:n, i] = (np.exp(y) - shares) * grad[i]
    return found
