"""Every optimizer and schedule once: the same code for both libraries."""

import warnings

import numpy as np

OPTIMIZERS = [
    "SGD(p, lr=0.1)", "SGD(p, lr=0.1, momentum=0.9)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "SGD(p, lr=0.1, momentum=0.5, dampening=0.3, maximize=True)",
    "Adam(p)", "Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)",
    "Adam(p, lr=0.1, amsgrad=True, maximize=True)", "AdamW(p, lr=0.1)",
    "AdamW(p, lr=0.1, weight_decay=0.3, amsgrad=True)",
    "Adagrad(p)", "Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1, "
    "initial_accumulator_value=0.2)",
    "Adadelta(p)", "Adadelta(p, lr=0.5, rho=0.8, weight_decay=0.1)",
    "Adafactor(p)", "Adafactor(p, lr=0.5, weight_decay=0.1, d=2.0, maximize=True)",
    "Adafactor(p, lr=0.1, eps=(1e-3, 1e-2), beta2_decay=-0.5)",
    "Adamax(p)", "Adamax(p, lr=0.1, weight_decay=0.1)",
    "NAdam(p)", "NAdam(p, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    "RAdam(p, lr=0.1)", "RAdam(p, lr=0.1, betas=(0.5, 0.6), weight_decay=0.1)",
    "RMSprop(p)", "RMSprop(p, lr=0.1, momentum=0.9, centered=True, weight_decay=0.1)",
    "Rprop(p)", "Rprop(p, lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 0.2))",
    "ASGD(p)", "ASGD(p, lr=0.1, lambd=0.1, t0=2, weight_decay=0.1)",
    "LBFGS(p)", "LBFGS(p, lr=0.5, max_iter=4, history_size=2)",
    "LBFGS(p, line_search_fn='strong_wolfe')",
    "SGD([{'params': p[:1], 'lr': 0.01}, {'params': p[1:]}], lr=0.1)",
]

SCHEDULES = [
    "LambdaLR(o, lambda e: 0.9 ** e)", "MultiplicativeLR(o, lambda e: 0.95)",
    "StepLR(o, 3, 0.5)", "MultiStepLR(o, [2, 5, 5], 0.5)", "ConstantLR(o, 0.5, 4)",
    "LinearLR(o, 0.25, 0.9, 5)", "ExponentialLR(o, 0.8)", "PolynomialLR(o, 6, 2.0)",
    "CosineAnnealingLR(o, 4, 0.01)", "CosineAnnealingWarmRestarts(o, 3, 2, 0.01)",
    "CyclicLR(o, 0.01, 0.3, 3, 4)", "CyclicLR(o, 0.01, 0.3, 2, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.3, 2, mode='exp_range', gamma=0.9, cycle_momentum=False)",
    "OneCycleLR(o, 0.5, total_steps=15)",
    "OneCycleLR(o, 0.5, epochs=3, steps_per_epoch=5, three_phase=True, "
    "anneal_strategy='linear')",
    "SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)], [4])",
    "ChainedScheduler([s.ConstantLR(o, 0.5, 3), s.ExponentialLR(o, 0.9)])",
]


def target(p, torch):
    """A function with a valley that is neither round nor straight."""
    a, b = p
    return ((a - 1) ** 2).sum() + (a.sin() * b.sin()).sum() ** 2 + (b ** 4).mean()


def start(torch):
    """Two parameters."""
    rng = np.random.default_rng(3)
    return [torch.tensor(rng.normal(size=(2, 3)), requires_grad=True),
            torch.tensor(rng.normal(size=3), requires_grad=True)]


def numbers(t):
    """The tensor's numbers, as lists."""
    return t.detach().tolist()


def plain(state):
    """A state_dict's values as plain data."""
    if hasattr(state, "detach"):
        return numbers(state) if state.dim() == 0 else [str(state.dtype), numbers(state)]
    if isinstance(state, dict):
        return {str(k): plain(v) for k, v in state.items()}
    if isinstance(state, list | tuple):
        return [plain(v) for v in state]
    if isinstance(state, np.floating):
        return float(state)
    return state


def optimized(code, torch, steps=5):
    """Some steps, with a saved and loaded state in the middle; everything that is compared."""
    p = start(torch)
    optimizer = eval(f"optim.{code}", {"optim": torch.optim, "p": p})
    path, text = [], repr(optimizer)

    def closure():
        optimizer.zero_grad()
        loss = target(p, torch)
        loss.backward()
        return loss
    for step in range(steps):
        if step == 3:
            saved = optimizer.state_dict()
            optimizer = eval(f"optim.{code}", {"optim": torch.optim, "p": p})
            optimizer.load_state_dict(saved)
        loss = optimizer.step(closure)
        path.append([float(loss.detach()), *[numbers(t) for t in p]])
    return {"repr": text, "path": path, "state": plain(optimizer.state_dict())}


def scheduled(code, torch, steps=12):
    """The learning rates (and momenta) of some steps, with a saved and loaded state between."""
    p = start(torch)
    optimizer = torch.optim.SGD(p, lr=0.2, momentum=0.9)
    space = {"o": optimizer, "s": torch.optim.lr_scheduler}

    def made():
        return eval(f"s.{code}", space)
    scheduler, rates = made(), []
    for _ in range(steps):
        group = optimizer.param_groups[0]
        rates.append([float(group["lr"]), float(group["momentum"]), *scheduler.get_last_lr()])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            optimizer.step()
            scheduler.step()
    return rates
