"""What the script tells whoever runs it.

Lines of standard output that begin with PREFIX carry JSON; every other line is log text.
"""

import json

PREFIX = "@training "


def log(text):
    """Writes a line of the log."""
    print(text, flush=True)


def report_progress(epoch, epochs, loss, metrics):
    """Tells that an epoch has ended."""
    _tell({"progress": {"epoch": epoch, "of": epochs, "loss": loss, "metrics": metrics}})


def report_failure(failure):
    """Tells why the training ends."""
    _tell({"failure": {"reason": failure.reason, "message": str(failure)}})


def _tell(message):
    print(PREFIX + json.dumps(message), flush=True)
