"""Reads a dataset file: JSON Lines, one picture a line, as in the public contract of training scripts."""

import json
import os
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from failures import UnreadableDataset, UnusableLabels
from report import log

UNKNOWN_LABEL = "VIAM_UNKNOWN"


@dataclass
class Picture:
    """A picture with its annotations. Boxes are (label, left, top, right, bottom) as fractions of the picture."""

    path: str
    file: str
    labels: list = field(default_factory=list)
    boxes: list = field(default_factory=list)
    binary_data_id: str = ""

    @property
    def is_classified(self):
        return any(label != UNKNOWN_LABEL for label in self.labels)


def read_dataset(dataset_file):
    """All pictures that the file names, in its order."""
    folder = os.path.dirname(os.path.abspath(dataset_file))
    try:
        with open(dataset_file, encoding="utf-8") as lines:
            pictures = [_picture(line, number, folder) for number, line in enumerate(lines, 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableDataset(f"The dataset file {dataset_file} cannot be read: {error}.") from error
    if not pictures:
        raise UnusableLabels(f"The dataset file {dataset_file} has no pictures: add some to the dataset.")
    return pictures


def _picture(line, number, folder):
    try:
        entry = json.loads(line)
        path = entry["image_path"]
        binary_data_id = str(entry.get("binary_data_id", ""))
        labels = [one["annotation_label"] for one in entry.get("classification_annotations") or []]
        boxes = [
            (
                one["annotation_label"],
                float(one["x_min_normalized"]),
                float(one["y_min_normalized"]),
                float(one["x_max_normalized"]),
                float(one["y_max_normalized"]),
            )
            for one in entry.get("bounding_box_annotations") or []
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableDataset(f"Line {number} of the dataset file is no picture with annotations: {error!r}.") from error
    return Picture(path, os.path.join(folder, path), labels, boxes, binary_data_id)


def requested_labels(text, pictures, annotations_of):
    """Labels to train on, in order: the requested ones, or else all of the dataset.

    `text` is a JSON list, or words separated by spaces.
    """
    if text is None:
        found = {label for picture in pictures for label in annotations_of(picture)}
        labels = sorted(found - {UNKNOWN_LABEL})
    elif text.lstrip().startswith("["):
        labels = json.loads(text)
    else:
        labels = text.split()
    labels = list(dict.fromkeys(label for label in labels if isinstance(label, str) and label.strip()))
    if not labels:
        raise UnusableLabels("There are no labels to train on: label the pictures, and name the labels of the job.")
    if UNKNOWN_LABEL in labels:
        raise UnusableLabels(f"{UNKNOWN_LABEL} marks pictures without a label and cannot be trained on: leave it out.")
    return labels


def load_pixels(pictures, size):
    """Pixels of all pictures in one array [n, 3, size, size], uint8 RGB, ignoring their aspect ratio.

    The vision service scales pictures for a model in the same way.
    """
    pixels = np.empty((len(pictures), 3, size, size), dtype=np.uint8)
    for index, picture in enumerate(pictures):
        try:
            with Image.open(picture.file) as image:
                scaled = image.convert("RGB").resize((size, size), Image.BILINEAR)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise UnreadableDataset(
                f"The picture {picture.path} cannot be read ({error}): remove it from the dataset."
            ) from error
        pixels[index] = np.asarray(scaled).transpose(2, 0, 1)
    log(f"Read {len(pictures)} pictures.")
    return pixels


def split_dataset(targets, validation_share, generator):
    """Divides pictures into (training, validation) indices so that both have about the same proportion of every class.

    `targets` is [n, classes], how often each class is in each picture. The rarest classes are distributed first,
    because they leave the least choice.
    """
    count, classes = targets.shape
    wanted = max(1, round(count * validation_share))
    present = targets > 0
    needed = present.sum(axis=0) * validation_share
    validation = set()
    order = generator.permutation(count)
    for label in np.argsort(present.sum(axis=0), kind="stable"):
        for index in order:
            have = present[sorted(validation), label].sum() if validation else 0
            if have >= round(needed[label]) or len(validation) >= wanted:
                break
            # The last picture of a class is kept for training.
            remaining = present.sum(axis=0) - (present[sorted(validation)].sum(axis=0) if validation else 0)
            if present[index, label] and index not in validation and (remaining[present[index]] > 1).all():
                validation.add(int(index))
    for index in order:
        if len(validation) >= wanted:
            break
        remaining = present.sum(axis=0) - (present[sorted(validation)].sum(axis=0) if validation else 0)
        if index not in validation and (remaining[present[index]] > 1).all():
            validation.add(int(index))
    held_out = sorted(validation)
    if not held_out or len(held_out) == count:
        raise UnusableLabels(f"{count} pictures are too few to keep some back for validation: label more.")
    return [index for index in range(count) if index not in validation], held_out
