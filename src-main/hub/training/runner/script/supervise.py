"""Runs one program with limits, and ends all its processes when it is over.

Runs between the hub and a training, because both may end at any moment: when the hub ends, standard input closes, and
this program ends all processes of the training. Needs Linux and only Python itself.

    supervise.py '{"command": [...], "memory_bytes": n, "disk_bytes": n, "folder": "...", "time_s": n, "grace_s": n, "cpus": n}'

The command runs in `cwd`; default is the current folder. With "cpus": null it may use all cores. With
"ends_with_hub": false, as on a node of a cluster, standard input is ignored, and a training goes on without its hub.

Writes one line of JSON to descriptor 3 about the end: {"reason": "exited" | "canceled" | "time" | "memory" | "disk" |
"orphaned", "status": n | null, "signal": n | null, "peak_bytes": n}.
"""

import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LOOK_S = 0.5
NICENESS = 10
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
REPORT = 3


def main(limits):
    libc = ctypes.CDLL(None, use_errno=True)
    os.set_inheritable(REPORT, False)
    # Orphaned descendants become children of this process, whatever their group and session.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wakeup, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    is_canceled = []
    signal.signal(signal.SIGTERM, lambda *_: is_canceled.append(True))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    parent = os.getpid()

    def prepare():
        os.nice(NICENESS)
        if limits["cpus"] is not None:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: limits["cpus"]])
        # Limit of each process. The memory of all together is checked below.
        resource.setrlimit(resource.RLIMIT_DATA, (limits["memory_bytes"],) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["disk_bytes"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    watched = [0, wakeup] if limits.get("ends_with_hub", True) else [wakeup]
    child = subprocess.Popen(limits["command"], stdin=subprocess.DEVNULL, cwd=limits.get("cwd"), preexec_fn=prepare)
    deadline = time.monotonic() + limits["time_s"]
    peak = 0
    reason = None
    while reason is None:
        ready, _, _ = select.select(watched, [], [], LOOK_S)
        if wakeup in ready:
            os.read(wakeup, 1024)
        used = sum(descendants().values())
        peak = max(peak, used)
        code = child.poll()
        if code is not None and not (code != 0 and is_canceled):
            reason = "exited"
        elif is_canceled:
            # Also when the signal went to all processes and the child ended first.
            reason = "canceled"
        elif 0 in ready and os.read(0, 1024) == b"":
            reason = "orphaned"
        elif time.monotonic() >= deadline:
            reason = "time"
        elif used > limits["memory_bytes"]:
            reason = "memory"
        elif bytes_in(limits["folder"]) > limits["disk_bytes"]:
            reason = "disk"
        reap(child)
    # A script that is asked to end gets time to store its results. Remaining processes of an ended script get none.
    if reason in ("canceled", "time"):
        end(child, signal.SIGTERM, limits["grace_s"])
    end(child, signal.SIGKILL, None)
    code = child.wait()
    ended = {
        "reason": reason,
        "status": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "peak_bytes": peak,
    }
    try:
        os.write(REPORT, (json.dumps(ended) + "\n").encode())
    except BrokenPipeError:
        pass  # The reader is gone.
    # For a cluster, which sees only the exit status.
    sys.exit(0 if reason == "exited" and code == 0 else 1)


def descendants():
    """Resident bytes of each process that descends from this one, by id."""
    parents, resident = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                # The name of the program is in brackets and may hold anything.
                fields = stat.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in (b"Z", b"X"):
            parents[int(name)] = int(fields[1])
            resident[int(name)] = int(fields[21]) * PAGE_BYTES
    found = {}
    below = {os.getpid()}
    while below:
        below = {pid for pid, parent in parents.items() if parent in below}
        found.update((pid, resident[pid]) for pid in below)
    return found


def bytes_in(folder):
    """Bytes on the disk of all files below a folder."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                pass  # Removed meanwhile.
    return total


def end(child, number, seconds):
    """Sends a signal to all descendants until none is left or the time is over; `seconds` None means no time limit."""
    until = None if seconds is None else time.monotonic() + seconds
    signaled = set()
    while True:
        reap(child)
        alive = descendants()
        if not alive or (until is not None and time.monotonic() >= until):
            return
        for pid in alive:
            if number == signal.SIGKILL or pid not in signaled:
                signaled.add(pid)
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        time.sleep(0.02)


def reap(child):
    """Reaps ended processes. Popen keeps the status of the child."""
    child.poll()
    for pid in zombies():
        if pid != child.pid:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def zombies():
    """Direct children that have ended."""
    own = str(os.getpid()).encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    fields = stat.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] == b"Z" and fields[1] == own:
                yield int(name)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
