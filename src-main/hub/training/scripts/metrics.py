"""Metrics of models. All are from 0 to 1; higher is better."""

import numpy as np

# Boxes with a lower score do not count as found, except for the mean average precision, which uses all boxes.
LEAST_SCORE = 0.4
LEAST_OVERLAP = 0.5


def single_label_metrics(probabilities, wanted, classes):
    """({accuracy, f1}, confusion matrix [true][predicted]); F1 is the mean over the labels."""
    predicted = probabilities.argmax(1)
    confusion = np.zeros((classes, classes), dtype=int)
    np.add.at(confusion, (wanted, predicted), 1)
    right = np.diag(confusion)
    f1 = _f1(right, confusion.sum(0) - right, confusion.sum(1) - right)
    return {"accuracy": _round((predicted == wanted).mean()), "f1": _round(f1.mean())}, confusion.tolist()


def multi_label_metrics(probabilities, wanted):
    """({accuracy, f1, exact_match}, for each label [[true negatives, false positives], [false negatives, true positives]]).

    Accuracy is the share of right answers over all labels, exact match that of pictures with all labels right.
    """
    predicted = probabilities >= 0.5
    truth = wanted >= 0.5
    both = (predicted & truth).sum(0)
    only_predicted = (predicted & ~truth).sum(0)
    only_true = (~predicted & truth).sum(0)
    neither = (~predicted & ~truth).sum(0)
    metrics = {
        "accuracy": _round((predicted == truth).mean()),
        "f1": _round(_f1(both, only_predicted, only_true).mean()),
        "exact_match": _round((predicted == truth).all(1).mean()),
    }
    confusion = np.stack([np.stack([neither, only_predicted], 1), np.stack([only_true, both], 1)], 1)
    return metrics, confusion.tolist()


def detection_metrics(found, truths, classes):
    """({map_50, mean_iou, f1}, confusion matrix [true][predicted], whose last row and column are background).

    `found` has (boxes, categories, scores) of each picture, `truths` (boxes, categories). The mean IoU is over all true
    boxes, 0 for one that no box of its label was found for.
    """
    confusion = np.zeros((classes + 1, classes + 1), dtype=int)
    overlaps = []
    for (boxes, categories, scores), (true_boxes, true_categories) in zip(found, truths):
        is_counted = scores >= LEAST_SCORE
        boxes, categories = boxes[is_counted], categories[is_counted]
        overlap = overlap_matrix(true_boxes, boxes)
        pairs = _pairs(overlap, LEAST_OVERLAP)
        for true, predicted in pairs:
            confusion[true_categories[true], categories[predicted]] += 1
        for true in set(range(len(true_boxes))) - {true for true, _ in pairs}:
            confusion[true_categories[true], classes] += 1
        for predicted in set(range(len(boxes))) - {predicted for _, predicted in pairs}:
            confusion[classes, categories[predicted]] += 1
        same = np.where(true_categories[:, None] == categories[None, :], overlap, 0.0)
        best = dict(_pairs(same, 1e-6))
        overlaps += [same[true, best[true]] if true in best else 0.0 for true in range(len(true_boxes))]
    right = np.diag(confusion)[:classes]
    f1 = _f1(right, confusion.sum(0)[:classes] - right, confusion.sum(1)[:classes] - right)
    precisions = [_average_precision(found, truths, label) for label in range(classes)]
    known = [precision for precision in precisions if precision is not None]
    metrics = {
        "map_50": _round(np.mean(known) if known else 0.0),
        "mean_iou": _round(np.mean(overlaps) if overlaps else 0.0),
        "f1": _round(f1.mean()),
    }
    return metrics, confusion.tolist()


def overlap_matrix(first, second):
    """Intersection over union of boxes: left, top, right, bottom."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(2)
    areas = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(1) for boxes in (first, second)]
    return common / np.clip(areas[0][:, None] + areas[1][None, :] - common, 1e-9, None)


def _pairs(overlap, least):
    """Pairs of rows and columns, each used once, largest overlap first."""
    pairs = []
    left = overlap.copy()
    while left.size > 0 and left.max() >= least:
        row, column = np.unravel_index(left.argmax(), left.shape)
        pairs.append((int(row), int(column)))
        left[row, :] = -1
        left[:, column] = -1
    return pairs


def _average_precision(found, truths, label):
    """Area under the precision-recall curve, all points, at an overlap of 0.5; None if no picture has the label."""
    total = sum(int((categories == label).sum()) for _, categories in truths)
    if total == 0:
        return None
    hits = []
    for (boxes, categories, scores), (true_boxes, true_categories) in zip(found, truths):
        of_label = np.flatnonzero((categories == label) & (scores > 0))
        overlap = overlap_matrix(true_boxes[true_categories == label], boxes)
        taken = set()
        for index in of_label[np.argsort(-scores[of_label], kind="stable")]:
            candidates = [row for row in np.argsort(-overlap[:, index]) if row not in taken]
            is_hit = bool(candidates) and overlap[candidates[0], index] >= LEAST_OVERLAP
            if is_hit:
                taken.add(candidates[0])
            hits.append((scores[index], is_hit))
    hits.sort(key=lambda hit: -hit[0])
    right = np.cumsum([is_hit for _, is_hit in hits])
    if len(right) == 0:
        return 0.0
    precision = right / np.arange(1, len(right) + 1)
    # Makes precision monotonically decreasing, from the right.
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    recall = np.concatenate([[0.0], right / total])
    return float(((recall[1:] - recall[:-1]) * precision).sum())


def _f1(right, only_predicted, only_true):
    return 2 * right / np.maximum(2 * right + only_predicted + only_true, 1)


def _round(value):
    return round(float(value), 5)
