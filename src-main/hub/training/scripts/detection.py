"""Trains a detector of objects."""

import numpy as np
import torch
from torch.nn import functional

from augmentation import to_input, vary, vary_boxes
from dataset import load_pixels, requested_labels, split_dataset
from failures import UnreadableDataset, UnusableLabels
from metrics import detection_metrics
from networks import Detector, DetectorWithSuppression, area_of
from report import log
from training_loop import train

SIZE = 256
BATCH_SIZE = 8
EPOCHS = 60
PATIENCE = 20
INPUT_NAMES = ["image"]
OUTPUT_NAMES = ["location", "category", "score"]
# Cells whose centre is within this distance (in cells) of an object's centre should find the object.
NEAR_CELLS = 1.5


def select(pictures, labels):
    """The pictures that can be trained on, with their boxes [m, 4] and categories [m]."""
    kept, boxes, categories = [], [], []
    for picture in pictures:
        if not picture.boxes:
            continue
        wanted = [box for box in picture.boxes if box[0] in labels]
        for label, left, top, right, bottom in wanted:
            if not (-0.01 <= left < right <= 1.01 and -0.01 <= top < bottom <= 1.01):
                raise UnreadableDataset(
                    f"A box of {picture.path} with the label {label} goes from {left}, {top} to {right}, {bottom}: "
                    "shares of the picture, from 0 to 1, were expected. Draw it anew."
                )
        kept.append(picture)
        boxes.append(torch.tensor([box[1:] for box in wanted], dtype=torch.float32).reshape(-1, 4).clamp(0, 1))
        categories.append(torch.tensor([labels.index(box[0]) for box in wanted], dtype=torch.long))
    counts = [sum(int((one == index).sum()) for one in categories) for index in range(len(labels))]
    log("Boxes by label: " + ", ".join(f"{label} {count}" for label, count in zip(labels, counts)))
    for label, count in zip(labels, counts):
        if count < 2:
            raise UnusableLabels(f"Fewer than 2 boxes have the label {label}: draw more, or leave it out.")
    return kept, boxes, categories


def targets_of(detector, boxes, categories):
    """The cells that should find an object, with its box: (cells [k], boxes [k, 4], categories [k])."""
    centres = detector.centres
    if len(boxes) == 0:
        nothing = torch.zeros(0, dtype=torch.long)
        return nothing, torch.zeros(0, 4), nothing
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    distance = (centres[:, None, :] - middle[None]).abs().amax(2)
    is_inside = ((centres[:, None, :] > boxes[None, :, :2]) & (centres[:, None, :] < boxes[None, :, 2:])).all(2)
    is_near = distance < NEAR_CELLS * detector.cell
    # An object that is smaller than a cell gets at least the nearest cell.
    is_nearest = torch.zeros_like(is_near)
    is_nearest[distance.argmin(0), torch.arange(len(boxes))] = True
    is_candidate = (is_inside & is_near) | is_nearest
    # Of several objects the smallest one gets the cell, because it has the fewest others.
    areas = area_of(boxes)[None].expand_as(distance)
    least, owner = areas.masked_fill(~is_candidate, float("inf")).min(1)
    cells = torch.isfinite(least).nonzero()[:, 0]
    return cells, boxes[owner[cells]], categories[owner[cells]]


def paired_overlap(first, second):
    """Intersection over union of boxes, pair by pair, without and with the penalty of "Generalized IoU"."""
    low, high = torch.max(first[:, :2], second[:, :2]), torch.min(first[:, 2:], second[:, 2:])
    common = (high - low).clamp(min=0).prod(1)
    union = area_of(first) + area_of(second) - common
    overlap = common / union.clamp(min=1e-9)
    around = (torch.max(first[:, 2:], second[:, 2:]) - torch.min(first[:, :2], second[:, :2])).prod(1)
    return overlap, overlap - (around - union) / around.clamp(min=1e-9)


def losses_of(detector, images, boxes, categories):
    """The loss of each picture of a batch, divided by its number of cells that should find something."""
    logits, found = detector(images)
    losses = []
    for index in range(len(images)):
        cells, wanted, labels = targets_of(detector, boxes[index], categories[index])
        goal = torch.zeros_like(logits[index])
        box_loss = logits.new_zeros(())
        if len(cells) > 0:
            overlap, generalized = paired_overlap(found[index][cells], wanted)
            goal[cells, labels] = overlap.detach().clamp(min=0.05)
            box_loss = (1 - generalized).sum()
        error = (logits[index].sigmoid() - goal).abs().pow(2)
        class_loss = (
            functional.binary_cross_entropy_with_logits(logits[index], goal, reduction="none") * error
        ).sum()
        losses.append((class_loss + 2 * box_loss) / max(1, len(cells)))
    return torch.stack(losses)


def detections_of(suppression, image):
    """(boxes [n, 4] as left, top, right, bottom, categories [n], scores [n]) of one picture."""
    location, category, score = suppression(image)
    return location[0][:, [1, 0, 3, 2]].numpy(), category[0].numpy().astype(int), score[0].numpy()


def train_detector(pictures, arguments):
    """Trains a detector. Returns the module to export and the content of its card."""
    labels = requested_labels(arguments.labels, pictures, lambda picture: [box[0] for box in picture.boxes])
    pictures, boxes, categories = select(pictures, labels)
    generator = torch.Generator().manual_seed(arguments.seed)
    counts = np.array([[int((one == label).sum()) for label in range(len(labels))] for one in categories])
    training, validation = split_dataset(counts, arguments.validation_share, np.random.default_rng(arguments.seed))
    pixels = torch.from_numpy(load_pixels(pictures, SIZE))
    log(f"{len(training)} pictures to train on, {len(validation)} for validation.")
    training_pixels = pixels[training]

    def loss_of(detector, indices):
        images, scale, shift = vary(to_input(training_pixels[indices]), generator)
        varied_boxes, varied_categories = [], []
        for place, index in enumerate(indices.tolist()):
            moved, is_visible = vary_boxes(boxes[training[index]], scale[place], shift[place])
            varied_boxes.append(moved[is_visible])
            varied_categories.append(categories[training[index]][is_visible])
        return losses_of(detector, images, varied_boxes, varied_categories).mean()

    def truth_of(index):
        return boxes[index].numpy(), categories[index].numpy()

    def measure(detector, indices):
        suppression = DetectorWithSuppression(detector).eval()
        found = [detections_of(suppression, to_input(pixels[index : index + 1])) for index in indices]
        return detection_metrics(found, [truth_of(index) for index in indices], len(labels))

    def evaluate(detector):
        metrics, _ = measure(detector, validation)
        return metrics["map_50"] + metrics["mean_iou"], metrics

    outcome = train(
        Detector(len(labels), SIZE),
        count=len(training),
        batch_size=BATCH_SIZE,
        epochs=arguments.num_epochs or EPOCHS,
        patience=PATIENCE,
        learning_rate=2e-3,
        loss_of=loss_of,
        evaluate=evaluate,
        generator=generator,
    )
    with torch.no_grad():
        metrics, confusion = measure(outcome.network, validation)
        losses = [
            losses_of(outcome.network, to_input(pixels[index : index + 1]), [boxes[index]], [categories[index]]).item()
            for index in range(len(pictures))
        ]
    held_out = set(validation)
    card = {
        "labels": labels,
        # Index of xmin, ymin, xmax and ymax in `location`, as in the public metadata of models.
        "boxOrder": [1, 0, 3, 2],
        "metrics": metrics,
        "confusion_matrix": confusion,
        "examples": [
            {
                "path": picture.path,
                "binary_data_id": picture.binary_data_id,
                "loss": round(loss, 5),
                "is_validation": index in held_out,
            }
            for index, (picture, loss) in enumerate(zip(pictures, losses))
        ],
        "curve": outcome.curve,
        "best_epoch": outcome.best_epoch,
        "pictures": {"training": len(training), "validation": len(validation)},
    }
    return DetectorWithSuppression(outcome.network), SIZE, INPUT_NAMES, OUTPUT_NAMES, card
