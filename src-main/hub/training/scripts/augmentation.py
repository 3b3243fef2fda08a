"""Varies pictures at random, in batches of tensors."""

import torch
from torch.nn import functional


def to_input(pixels):
    """Pixels as network input: -1 to 1, as the vision service gives it with a mean and deviation of 0.5."""
    return pixels.to(torch.float32) / 127.5 - 1.0


def vary(images, generator, least_scale=0.7, most_scale=1.3):
    """Flips, moves, scales and recolours images [n, 3, h, w] of -1 to 1.

    Returns them with (scale [n, 2], shift [n, 2]): a point p of an original, as a fraction of its size, is at
    `p * scale + shift` in the result. A flip is a negative scale.
    """
    count = images.shape[0]

    def uniform(least, most, *shape):
        return torch.rand(count, *shape, generator=generator) * (most - least) + least

    scale = uniform(least_scale, most_scale, 1) * uniform(0.9, 1.1, 2)
    flips = torch.where(torch.rand(count, 1, generator=generator) < 0.5, -1.0, 1.0)
    scale = scale * torch.cat([flips, torch.ones(count, 1)], 1)
    # The centre of the original stays near the middle of the result.
    centre = uniform(0.3, 0.7, 2)
    shift = centre - 0.5 * scale
    # grid_sample needs the inverse: for each point of the result its point in the original, in -1 to 1.
    theta = torch.zeros(count, 2, 3)
    theta[:, 0, 0] = 1.0 / scale[:, 0]
    theta[:, 1, 1] = 1.0 / scale[:, 1]
    theta[:, :, 2] = (1.0 - 2.0 * shift - scale) / scale
    grid = functional.affine_grid(theta, list(images.shape), align_corners=False)
    moved = functional.grid_sample(images, grid, padding_mode="border", align_corners=False)
    return _recolour(moved, uniform), scale, shift


def _recolour(images, uniform):
    brightness = uniform(-0.2, 0.2, 1, 1, 1)
    contrast = uniform(0.8, 1.2, 1, 1, 1)
    balance = uniform(0.9, 1.1, 3, 1, 1)
    grey = images.mean(1, keepdim=True)
    saturation = uniform(0.7, 1.3, 1, 1, 1)
    coloured = grey + (images - grey) * saturation
    return (coloured * contrast * balance + brightness).clamp(-1.0, 1.0)


def vary_boxes(boxes, scale, shift, least_visible=0.4):
    """Boxes [m, 4] after `vary`, cut at the edges, and which of them are still mostly visible."""
    ends = boxes.reshape(-1, 2, 2) * scale + shift
    whole = torch.cat([ends.amin(1), ends.amax(1)], 1)
    cut = whole.clamp(0.0, 1.0)
    sides = cut[:, 2:] - cut[:, :2]
    whole_sides = whole[:, 2:] - whole[:, :2]
    share = sides.prod(1) / whole_sides.prod(1).clamp(min=1e-9)
    return cut, (share >= least_visible) & (sides > 0.01).all(1)
