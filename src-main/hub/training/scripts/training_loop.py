"""Epochs, learning rate, averaged weights and early stopping, for all kinds of models."""

import copy
import math
from dataclasses import dataclass

import torch

from failures import Diverged
from report import log, report_progress

# If there are fewer pictures, an epoch uses them several times, because each epoch has a fixed cost.
LEAST_DRAWN = 96
# Weights are averaged over about this many steps.
AVERAGED_STEPS = 40


@dataclass
class Outcome:
    """The best weights by validation, and the course of the training."""

    network: torch.nn.Module
    curve: list
    best_epoch: int


def train(network, *, count, batch_size, epochs, patience, learning_rate, loss_of, evaluate, generator):
    """Trains a network and returns its best epoch.

    `loss_of(network, indices)` returns the loss of a batch of training pictures; `evaluate(network)` returns
    (quality, metrics) for the validation pictures. Higher quality is better.
    """
    optimizer = torch.optim.AdamW(network.parameters(), lr=learning_rate, weight_decay=0.01)
    averaged = copy.deepcopy(network)
    drawn = max(LEAST_DRAWN, count)
    steps_per_epoch = math.ceil(drawn / batch_size)
    steps = epochs * steps_per_epoch
    step = 0
    best, best_quality, best_epoch = None, -math.inf, 0
    curve = []
    for epoch in range(1, epochs + 1):
        network.train()
        total = 0.0
        for indices in _batches(count, drawn, batch_size, generator):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * _share_of_rate(step, steps)
            optimizer.zero_grad()
            loss = loss_of(network, indices)
            if not torch.isfinite(loss):
                raise Diverged(
                    f"The loss became {loss.item()} in epoch {epoch}: train with fewer labels, or look for boxes and "
                    "pictures that are not what they should be."
                )
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimizer.step()
            step += 1
            _average(averaged, network, step)
            total += loss.item()
        averaged.eval()
        with torch.no_grad():
            quality, metrics = evaluate(averaged)
        mean_loss = total / steps_per_epoch
        curve.append({"epoch": epoch, "loss": round(mean_loss, 5), **metrics})
        report_progress(epoch, epochs, round(mean_loss, 5), metrics)
        if quality > best_quality + 1e-4:
            best, best_quality, best_epoch = copy.deepcopy(averaged), quality, epoch
        elif epoch - best_epoch >= patience:
            log(f"No better for {patience} epochs: stopped after epoch {epoch}.")
            break
    log(f"The best was epoch {best_epoch}.")
    return Outcome(best, curve, best_epoch)


def _batches(count, drawn, batch_size, generator):
    rounds = [torch.randperm(count, generator=generator) for _ in range(math.ceil(drawn / count))]
    return torch.cat(rounds)[:drawn].split(batch_size)


def _share_of_rate(step, steps):
    warm_up = max(1, steps // 20)
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.02 + 0.49 * (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up)))


def _average(averaged, network, step):
    """Averages the weights and the statistics of the normalisation layers."""
    kept = min(1 - 1 / AVERAGED_STEPS, step / (step + 10))
    with torch.no_grad():
        for mean, value in zip(averaged.state_dict().values(), network.state_dict().values()):
            if mean.dtype.is_floating_point:
                mean.mul_(kept).add_(value, alpha=1 - kept)
            else:
                mean.copy_(value)
