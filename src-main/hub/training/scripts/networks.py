"""Small convolutional networks that learn from tens of pictures on a CPU."""

import torch
from torch import nn
from torch.nn import functional

CANDIDATES = 100
DETECTIONS = 20
OVERLAP = 0.5
# For boxes with different labels: an object within another one is rarely as large.
OVERLAP_OF_OTHERS = 0.7
STRIDE = 8


def _convolution(inputs, outputs, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = _convolution(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return functional.relu(x + self.second(self.first(x)))


class Classifier(nn.Module):
    """Logits of the classes of whole pictures."""

    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            _convolution(3, 16, 2),
            _convolution(16, 32, 2),
            _Residual(32),
            _convolution(32, 64, 2),
            _Residual(64),
            _convolution(64, 96, 2),
            _Residual(96),
        )
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(2 * 96, classes)

    def forward(self, image):
        features = self.features(image)
        # The mean tells how much of something there is, the maximum whether there is any at all.
        pooled = torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1)
        return self.head(self.dropout(pooled))


class ClassifierWithProbability(nn.Module):
    """The exported classifier: probabilities instead of logits."""

    def __init__(self, classifier, is_multi_label):
        super().__init__()
        self.classifier = classifier
        self.is_multi_label = is_multi_label

    def forward(self, image):
        logits = self.classifier(image)
        return logits.sigmoid() if self.is_multi_label else logits.softmax(1)


class Detector(nn.Module):
    """A fully convolutional detector without anchors.

    For each cell of a grid: logits of the classes, and the distances from its centre to the four sides of a box (Tian and
    others, "FCOS", 2019). The score of a class is trained to be the overlap with the true box (Li and others, "Generalized
    Focal Loss", 2020), so that the best box of an object is also the one with the best score.
    """

    def __init__(self, classes, size):
        super().__init__()
        self.stem = nn.Sequential(_convolution(3, 16, 2), _convolution(16, 32, 2))
        self.eighth = nn.Sequential(_convolution(32, 64, 2), _Residual(64))
        self.sixteenth = nn.Sequential(_convolution(64, 96, 2), _Residual(96))
        self.thirty_second = nn.Sequential(_convolution(96, 128, 2), _Residual(128))
        self.lateral = nn.ModuleList([nn.Conv2d(channels, 64, 1) for channels in (64, 96, 128)])
        self.tower = nn.Sequential(_convolution(64, 64), _convolution(64, 64))
        self.classes = nn.Conv2d(64, classes, 3, 1, 1)
        self.sides = nn.Conv2d(64, 4, 3, 1, 1)
        # Nearly all cells are background. An initial score of 1 % keeps them from dominating the loss.
        nn.init.constant_(self.classes.bias, -4.6)
        nn.init.constant_(self.sides.bias, 1.0)
        cells = size // STRIDE
        centres = (torch.arange(cells, dtype=torch.float32) + 0.5) / cells
        y, x = torch.meshgrid(centres, centres, indexing="ij")
        self.register_buffer("centres", torch.stack([x.flatten(), y.flatten()], 1))
        self.cell = 1.0 / cells

    def forward(self, image):
        """Logits [n, cells, classes] and boxes [n, cells, 4]: left, top, right, bottom as fractions of the picture."""
        eighth = self.eighth(self.stem(image))
        sixteenth = self.sixteenth(eighth)
        coarse = self.lateral[2](self.thirty_second(sixteenth))
        middle = self.lateral[1](sixteenth) + functional.interpolate(coarse, scale_factor=2.0, mode="nearest")
        fine = self.lateral[0](eighth) + functional.interpolate(middle, scale_factor=2.0, mode="nearest")
        tower = self.tower(fine)
        logits = self.classes(tower).flatten(2).transpose(1, 2)
        sides = functional.softplus(self.sides(tower)).flatten(2).transpose(1, 2) * (2 * self.cell)
        x, y = self.centres[:, 0], self.centres[:, 1]
        boxes = torch.stack(
            [x - sides[..., 0], y - sides[..., 1], x + sides[..., 2], y + sides[..., 3]], -1
        )
        return logits, boxes


class DetectorWithSuppression(nn.Module):
    """The exported detector: for one picture the best boxes, without those that overlap a better one."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector
        cells = detector.centres.shape[0]
        self.candidates = min(CANDIDATES, cells)
        self.detections = min(DETECTIONS, self.candidates)
        # [i, j]: j has a better score than i.
        better = torch.tril(torch.ones(self.candidates, self.candidates), diagonal=-1)
        self.register_buffer("better", better)

    def forward(self, image):
        logits, boxes = self.detector(image)
        scores, categories = logits[0].sigmoid().max(1)
        scores, cells = scores.topk(self.candidates)
        boxes = boxes[0][cells].clamp(0.0, 1.0)
        categories = categories[cells].to(torch.float32)
        is_same = (categories[:, None] == categories[None, :]).to(torch.float32)
        weight = is_same + (1 - is_same) * (OVERLAP / OVERLAP_OF_OTHERS)
        overlaps = overlap_of_each(boxes, boxes) * weight * self.better
        is_kept = (overlaps.max(1)[0] < OVERLAP).to(torch.float32)
        scores, best = (scores * is_kept).topk(self.detections)
        left, top, right, bottom = boxes[best].unbind(1)
        location = torch.stack([top, left, bottom, right], 1)
        return location[None], categories[best][None], scores[None]


def overlap_of_each(first, second):
    """Intersection over union of each box of `first` with each of `second`: left, top, right, bottom."""
    top_left = torch.max(first[:, None, :2], second[None, :, :2])
    bottom_right = torch.min(first[:, None, 2:], second[None, :, 2:])
    sides = (bottom_right - top_left).clamp(min=0)
    common = sides[..., 0] * sides[..., 1]
    areas = area_of(first)[:, None] + area_of(second)[None, :] - common
    return common / areas.clamp(min=1e-9)


def area_of(boxes):
    """Areas of boxes; 0 of one whose sides are the wrong way round."""
    return (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)
