"""Trains a classifier of whole pictures: one label each, or any number of them."""

import numpy as np
import torch
from torch.nn import functional

from augmentation import to_input, vary
from dataset import load_pixels, requested_labels, split_dataset
from failures import UnusableLabels
from metrics import multi_label_metrics, single_label_metrics
from networks import Classifier, ClassifierWithProbability
from report import log
from training_loop import train

SIZE = 128
BATCH_SIZE = 16
EPOCHS = 80
PATIENCE = 25
INPUT_NAMES = ["image"]
OUTPUT_NAMES = ["probability"]


def select(pictures, labels, is_multi_label):
    """The pictures that can be trained on, with their targets [n, labels] of 0 and 1."""
    kept, targets = [], []
    several = 0
    for picture in pictures:
        target = [int(label in picture.labels) for label in labels]
        if not picture.is_classified:
            continue
        if not is_multi_label and sum(target) != 1:
            several += sum(target) > 1
            continue
        kept.append(picture)
        targets.append(target)
    if several:
        log(f"{several} pictures have more than one of the labels and are left out.")
    if not kept:
        raise UnusableLabels(f"No picture has a label of {', '.join(labels)}: label some, or name other labels.")
    targets = np.array(targets)
    counts = dict(zip(labels, targets.sum(axis=0).tolist()))
    log("Pictures by label: " + ", ".join(f"{label} {count}" for label, count in counts.items()))
    missing = [label for label, count in counts.items() if count < 2]
    if missing:
        raise UnusableLabels(f"Fewer than 2 pictures have the label {missing[0]}: label more, or leave it out.")
    if not is_multi_label and len(labels) < 2:
        raise UnusableLabels(f"All pictures have the label {labels[0]}: a classifier needs two labels or more.")
    if is_multi_label and (targets.sum(axis=0) == len(kept)).all():
        raise UnusableLabels("Every picture has every label: add pictures that lack some.")
    return kept, targets


def train_classifier(pictures, arguments, is_multi_label):
    """Trains a classifier. Returns the module to export and the content of its card."""
    labels = requested_labels(arguments.labels, pictures, lambda picture: picture.labels)
    pictures, targets = select(pictures, labels, is_multi_label)
    generator = torch.Generator().manual_seed(arguments.seed)
    training, validation = split_dataset(
        targets, arguments.validation_share, np.random.default_rng(arguments.seed)
    )
    pixels = torch.from_numpy(load_pixels(pictures, SIZE))
    goal = torch.from_numpy(targets).to(torch.float32)
    log(f"{len(training)} pictures to train on, {len(validation)} for validation.")
    training_pixels, training_goal = pixels[training], goal[training]
    # Rare labels get more weight, within bounds, so that they count as much as frequent ones.
    share = training_goal.mean(0).clamp(min=1e-3)
    weight = (share.mean() / share).clamp(0.25, 4.0)
    positive_weight = ((1 - share) / share).clamp(0.25, 4.0)

    def loss_of(network, indices):
        images, _, _ = vary(to_input(training_pixels[indices]), generator)
        return criterion(network(images), training_goal[indices], "mean")

    def criterion(logits, wanted, reduction):
        if is_multi_label:
            loss = functional.binary_cross_entropy_with_logits(
                logits, wanted, pos_weight=positive_weight, reduction="none"
            ).mean(1)
            return loss.mean() if reduction == "mean" else loss
        return functional.cross_entropy(
            logits, wanted.argmax(1), weight=weight, label_smoothing=0.05, reduction=reduction
        )

    def logits_of(network, indices):
        return torch.cat([network(to_input(some)) for some in pixels[indices].split(64)])

    def measure(network, indices):
        logits, wanted = logits_of(network, indices), goal[indices]
        loss = criterion(logits, wanted, "mean").item()
        if is_multi_label:
            metrics = multi_label_metrics(logits.sigmoid().numpy(), wanted.numpy())
        else:
            metrics = single_label_metrics(logits.softmax(1).numpy(), wanted.argmax(1).numpy(), len(labels))
        return loss, metrics

    def evaluate(network):
        loss, (metrics, _) = measure(network, validation)
        quality = metrics["f1" if is_multi_label else "accuracy"] - 0.1 * loss
        return quality, {"validation_loss": round(loss, 5), **metrics}

    outcome = train(
        Classifier(len(labels)),
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
        _, (metrics, confusion) = measure(outcome.network, validation)
        losses = criterion(logits_of(outcome.network, list(range(len(pictures)))), goal, "none")
    held_out = set(validation)
    card = {
        "labels": labels,
        "metrics": metrics,
        "confusion_matrix": confusion,
        "examples": [
            {
                "path": picture.path,
                "binary_data_id": picture.binary_data_id,
                "loss": round(loss, 5),
                "is_validation": index in held_out,
            }
            for index, (picture, loss) in enumerate(zip(pictures, losses.tolist()))
        ],
        "curve": outcome.curve,
        "best_epoch": outcome.best_epoch,
        "pictures": {"training": len(training), "validation": len(validation)},
    }
    return ClassifierWithProbability(outcome.network, is_multi_label), SIZE, INPUT_NAMES, OUTPUT_NAMES, card
