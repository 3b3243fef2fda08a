"""Runs one program with limits, and ends all that it started when it is over.

Between the hub and a training, because both may end at any moment: when the hub is gone, standard input ends, and nothing
of the training is left running. Needs Linux and nothing but Python.

    supervise.py '{"command": [...], "memory_bytes": n, "disk_bytes": n, "folder": "...", "time_s": n, "grace_s": n, "cpus": n}'

The command runs in `cwd`, or where this runs where it is left out.
With "cpus": null all that there are may be used. With "ends_with_hub": false, as on a node of a cluster, nobody is at
standard input, and a training goes on without its hub.

Descriptor 3 is told in one line of JSON how it ended: {"reason": "exited" | "canceled" | "time" | "memory" | "disk" |
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
    # What a daemon leaves behind comes back to this process, wherever its group and session are.
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
        # Of one process; all together are watched below.
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
            # Also where whoever cancels has told all processes, and the child was faster.
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
    # One that was told to end may store what it has; what is left of one that is over gets no time.
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
        pass  # Nobody is left who wants to know.
    # For a cluster, which has nothing else to go by.
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
    """Sends a signal to all descendants until none is left, or the time is over; without one, for as long as it takes."""
    until = None if seconds is None else time.monotonic() + seconds
    told = set()
    while True:
        reap(child)
        alive = descendants()
        if not alive or (until is not None and time.monotonic() >= until):
            return
        for pid in alive:
            if number == signal.SIGKILL or pid not in told:
                told.add(pid)
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        time.sleep(0.02)


def reap(child):
    """Lets go of what has ended. The child's own status is kept by Popen."""
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
