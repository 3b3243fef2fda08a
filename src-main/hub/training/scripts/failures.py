"""Failures that end a training, each with an exit status of its own."""


class TrainingFailure(Exception):
    """Ends the training with one line for people and an exit status."""

    exit_status = 1
    reason = "failed"


class UnreadableDataset(TrainingFailure):
    """The dataset file, or a picture that it names, cannot be read."""

    exit_status = 10
    reason = "unreadable_dataset"


class UnusableLabels(TrainingFailure):
    """There is nothing to learn from the labels: none, one class only, too few pictures."""

    exit_status = 11
    reason = "unusable_labels"


class Diverged(TrainingFailure):
    """The loss has become NaN or infinite."""

    exit_status = 12
    reason = "diverged"


class OutOfMemory(TrainingFailure):
    """The system gives no more memory."""

    exit_status = 13
    reason = "out_of_memory"


class DiskFull(TrainingFailure):
    """A file cannot be written because the disk is full, or the job has reached its disk limit."""

    exit_status = 14
    reason = "disk_full"


class MissingPackage(TrainingFailure):
    """PyTorch, NumPy or Pillow is not installed."""

    exit_status = 15
    reason = "missing_package"
