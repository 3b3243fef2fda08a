"""Messages of the script to the program that runs it.

Lines of standard output that begin with PREFIX carry JSON; every other line is log text.
"""

import json

PREFIX = "@training "


def log(text):
    """Writes a line to the log."""
    print(text, flush=True)


def report_progress(epoch, epochs, loss, metrics):
    """Reports the end of an epoch."""
    _send({"progress": {"epoch": epoch, "of": epochs, "loss": loss, "metrics": metrics}})


def report_failure(failure):
    """Reports why the training fails."""
    _send({"failure": {"reason": failure.reason, "message": str(failure)}})


def _send(message):
    print(PREFIX + json.dumps(message), flush=True)
