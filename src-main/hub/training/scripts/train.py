"""Trains a model on labelled pictures: `python3 train.py --help`."""

import argparse
import errno
import os
import sys
import warnings

from failures import DiskFull, MissingPackage, OutOfMemory, TrainingFailure
from report import log, report_failure

MODEL_TYPES = ["single_label_classification", "multi_label_classification", "object_detection"]


def parse_arguments(words):
    """Arguments of the public contract of training scripts, and additional ones of this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset_file", required=True, help="JSON Lines, one picture a line")
    parser.add_argument("--model_output_directory", required=True, help="where the model is written")
    parser.add_argument("--num_epochs", type=int, help="at most; the usual number where left out")
    parser.add_argument("--labels", help="words with spaces between them, or a JSON list; all where left out")
    parser.add_argument("--model_type", choices=MODEL_TYPES, default=MODEL_TYPES[0])
    parser.add_argument("--validation_share", type=float, default=0.2, help="of the pictures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, help="of the processor; all that the process may use where left out")
    parser.add_argument("--snapshot", default="", help="what the dataset is called in the model card")
    return parser.parse_args(words)


def run(arguments):
    """Trains and writes a model."""
    try:
        import numpy
        import torch

        from classification import train_classifier
        from detection import train_detector
    except ImportError as error:
        raise MissingPackage(
            f"Python {sys.version.split()[0]} lacks the package {error.name}: install PyTorch, NumPy and Pillow, on Debian "
            "with `apt install python3-torch python3-numpy python3-pil`."
        ) from error
    from dataset import read_dataset
    from export import write_model

    # PyTorch warns for each operator while it exports the model, about steps that are constant here.
    warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)
    warnings.filterwarnings("ignore", message="The shape inference of prim::Constant")
    torch.manual_seed(arguments.seed)
    numpy.random.seed(arguments.seed % 2**32)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(arguments.threads or len(os.sched_getaffinity(0)))
    log(f"PyTorch {torch.__version__} with {torch.get_num_threads()} threads, seed {arguments.seed}.")
    pictures = read_dataset(arguments.dataset_file)
    if arguments.model_type == "object_detection":
        made = train_detector(pictures, arguments)
    else:
        made = train_classifier(pictures, arguments, arguments.model_type == "multi_label_classification")
    write_model(arguments.model_output_directory, *made, arguments)


def main(words):
    """Runs, and returns the exit status."""
    arguments = parse_arguments(words)
    try:
        run(arguments)
        return 0
    except TrainingFailure as failure:
        report_failure(failure)
        return failure.exit_status
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        return _failed(DiskFull(f"{error.filename or 'A file'} cannot be written: {error.strerror}."))
    except (MemoryError, RuntimeError) as error:
        # PyTorch has no exception class of its own for a lack of main memory.
        if isinstance(error, RuntimeError) and "can't allocate memory" not in str(error):
            raise
        return _failed(OutOfMemory("The memory that the job may use is not enough: raise its limit."))


def _failed(failure):
    report_failure(failure)
    return failure.exit_status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
