"""Everything at once, at random, for some minutes: runs are killed, run out of disk, of descriptors, of memory, lose
their pipes; then they are taken up again. However often, the result is that of a run nobody disturbed, byte by byte; a
run that fails says why in one line and exits with a number that is documented; nothing crashes.

Usage: torture.py COPPICE DATA-FOLDER [SECONDS] [SEED]
"""

import collections
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

COPPICE, DATA = sys.argv[1:3]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 180
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else time.time_ns()
FILES = [os.path.join(DATA, "ud-scores", name + ".npz") for name in ("English-EWT", "Marathi-UFAL", "Uyghur-UDT")]
LABELS = os.path.join(DATA, "ud-scores", "English-EWT.labels.npz")
TEXT = os.path.join(DATA, "en_ewt-ud-test.conllu")
# Killed by us, and what docs/cli.md lists.
EXPECTED = {0, 1, 2, 3, 4, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGPIPE}


def commands(choose):
    """A command without its output, and how it is disturbed at most."""
    name = choose.choice(FILES)
    command = ["decode", name, "-k", str(choose.choice([1, 5, 50])), "--threads", str(choose.choice([1, 2, 8])),
               "--format", choose.choice(["jsonl", "conllu", "text"])]
    if name == FILES[0] and choose.random() < 0.5:
        command += ["--text", TEXT]
    if name == FILES[0] and choose.random() < 0.3:
        command += ["--labels", LABELS, "--limit", "300"]
    if choose.random() < 0.2:
        command += ["--root", "any", "--max-gap", "0.5"]
    return command


class Fault:
    """One way to disturb a run, drawn at random."""

    def __init__(self, choose):
        self.kind = choose.choice(["kill", "kill", "term", "disk", "memory", "descriptors", "closed", "pipe", "none"])
        self.after = choose.random() ** 2 * 0.15
        self.bytes = int(10 ** choose.uniform(2, 6.5))
        self.memory = int(choose.uniform(8, 80)) << 20
        self.descriptors = choose.randrange(3, 12)
        self.closed = choose.sample([0, 1, 2], choose.randrange(1, 4))

    def prepare(self):
        if self.kind == "disk":
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.bytes, self.bytes))
        if self.kind == "memory":
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
        if self.kind == "descriptors":
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))
        if self.kind == "closed":
            for descriptor in self.closed:
                os.close(descriptor)


class NothingAtAll:
    """Undisturbed."""

    kind = "none"

    def prepare(self):
        pass


NOTHING = NothingAtAll()


def run(command, fault, log):
    with subprocess.Popen([COPPICE, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                          preexec_fn=fault.prepare) as process:
        if fault.kind in ("kill", "term"):
            time.sleep(fault.after)
            process.send_signal(signal.SIGKILL if fault.kind == "kill" else signal.SIGTERM)
        if fault.kind == "pipe":
            process.stdout.read(100)
            process.stdout.close()
        else:
            process.stdout.read()
        return process.wait()


def round_of(choose, folder, counts):
    command = commands(choose)
    whole = subprocess.run([COPPICE, *command], capture_output=True, check=True).stdout
    out = os.path.join(folder, "out")
    disturbed = command + ["-o", out, "--resume"]
    log_path = os.path.join(folder, "log")
    for _ in range(choose.randrange(1, 12)):
        fault = Fault(choose)
        with open(log_path, "wb") as log:
            code = run(disturbed if fault.kind != "pipe" else command, fault, log)
        with open(log_path, "rb") as log:
            said = log.read()
        counts[fault.kind, code] += 1
        if code == 127 and b"shared librar" in said:  # the system had not even begun
            continue
        assert code in EXPECTED, (command, vars(fault), code, said[-500:])
        failed = code in (2, 3, 4)
        assert not failed or fault.kind == "closed" or said.count(b"\n") >= 1, (command, vars(fault), code)
        if os.path.exists(out) and b"out of memory" in said:  # it was said which trees are missing
            os.unlink(out)
        if os.path.exists(out):
            break
    assert run(disturbed, NOTHING, subprocess.DEVNULL) == 0, command
    with open(out, "rb") as file:
        assert file.read() == whole, (command, "differs")
    assert set(os.listdir(folder)) <= {"out", "log"}, os.listdir(folder)
    os.unlink(out)


def main():
    print(f"torture: seed {SEED}, {SECONDS:g} seconds", flush=True)
    choose = random.Random(SEED)
    counts = collections.Counter()
    rounds, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as folder:
            round_of(choose, folder, counts)
        rounds += 1
    for (kind, code), count in sorted(counts.items()):
        print(f"  {kind:12} exit {code:4}: {count}")
    print(f"torture: {rounds} outputs, {sum(counts.values())} runs disturbed, every output as if never disturbed")


if __name__ == "__main__":
    main()
