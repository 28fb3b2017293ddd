"""A million sentences in one process: memory that stays flat, a steady rate, the right answers.

Usage: load.py COPPICE DATA-FOLDER [--sentences N] [-k K] [--folder SCRATCH] [--figures]

The corpus is the bundled English sentences drawn with replacement, shuffled by a fixed seed. It is
decoded by one thread, by eight threads, and by eight processes at once that take a part each; every
output must be the same, and each sentence must have the trees that it has in the bundled file,
which for a sample is decoded by itself. The exit code is 0 if all of that holds. Needs nothing but
Python and, for a million sentences, 4 GB of disk. With --figures, notes go to standard error and
measured figures to standard output, for tools/figures.py.
"""

import argparse
import hashlib
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

SEED = 8
SAMPLE = 40
# What memory may grow by between a tenth of the way and the end, in kB.
MOST_GROWTH = 4096


def read_array(archive, name):
    """The bytes of a one-dimensional array, and their number per element."""
    data = archive.read(name + ".npy")
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + size].decode()
    width = int(header.split("'descr': '")[1].split("'")[0][2:])
    return data[10 + size :], width


def npy_header(dtype, count):
    """The header of a one-dimensional array."""
    header = repr({"descr": dtype, "fortran_order": False, "shape": (count,)}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def bundled_sentences(path):
    """The number of words and the scores of every sentence of a file."""
    with zipfile.ZipFile(path) as archive:
        lengths, _ = read_array(archive, "lengths")
        scores, width = read_array(archive, "scores")
    lengths = struct.unpack(f"<{len(lengths) // 4}i", lengths)
    matrices, at = [], 0
    for words in lengths:
        size = width * (words + 1) ** 2
        matrices.append(scores[at : at + size])
        at += size
    return lengths, matrices


def write_corpus(path, chosen, lengths, matrices):
    """An archive of these sentences, in this order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        with archive.open("lengths.npy", "w", force_zip64=True) as member:
            member.write(npy_header("<i4", len(chosen)))
            member.write(struct.pack(f"<{len(chosen)}i", *(lengths[i] for i in chosen)))
        with archive.open("scores.npy", "w", force_zip64=True) as member:
            member.write(npy_header("<f4", sum((lengths[i] + 1) ** 2 for i in chosen)))
            for begin in range(0, len(chosen), 1000):
                member.write(b"".join(matrices[i] for i in chosen[begin : begin + 1000]))


def status_kb(process, field):
    """What the system says of the memory of a process."""
    try:
        with open(f"/proc/{process.pid}/status") as file:
            for line in file:
                if line.startswith(field):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def processor_seconds(process):
    """Its own, whatever else the machine is doing."""
    try:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def sentences_done(out):
    """How far a run is, by its own notes."""
    try:
        with open(out + ".resume") as file:
            return json.loads(file.read().splitlines()[-1])["sentences"]
    except (OSError, ValueError, IndexError):
        return 0


def watch(command, out):
    """Runs it; (processor seconds, sentences done, kB resident) every now and then."""
    process = subprocess.Popen(command)
    start, samples, peak = time.monotonic(), [], 0
    while process.poll() is None:
        resident = status_kb(process, "VmRSS")
        peak = max(peak, status_kb(process, "VmHWM"))
        if resident > 0:
            samples.append((processor_seconds(process), sentences_done(out), resident))
        time.sleep(0.2)
    if process.returncode != 0:
        sys.exit(f"load: {' '.join(command)}: exit code {process.returncode}")
    return time.monotonic() - start, samples, peak


def digest(*paths):
    """Of these files, one after the other."""
    sha = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                sha.update(block)
    return sha.hexdigest()


def groups(lines):
    """What follows the id in the lines of one sentence after the other."""
    group, current = [], None
    for line in lines:
        ident, rest = line.split(b", ", 1)
        if ident != current:
            if group:
                yield b"".join(group)
            group, current = [], ident
        group.append(rest)
    if group:
        yield b"".join(group)


def output_of(command):
    """What a command writes."""
    return subprocess.run(command, check=True, capture_output=True).stdout


class Load:
    """One corpus and what is done with it."""

    def __init__(self, arguments, folder):
        self.coppice, self.k, self.folder = arguments.coppice, str(arguments.k), folder
        self.english = os.path.join(arguments.data, "ud-scores", "English-EWT.npz")
        self.corpus = os.path.join(folder, "corpus.npz")
        self.count = arguments.sentences
        self.good = True
        self.notes = sys.stderr if arguments.figures else sys.stdout
        self.figures = {}

    def say(self, text, good=True):
        """Prints a line; remembers what is not good."""
        self.good &= good
        print(f"load: {text}" + ("" if good else "   NOT GOOD"), file=self.notes, flush=True)

    def measured(self, name, **values):
        """Keeps figures."""
        self.figures |= {f"{name}.{key}": value for key, value in values.items()}

    def decode(self, *options, source=None):
        """The command that decodes the corpus, or another file."""
        return [self.coppice, "decode", source or self.corpus, "-k", self.k, *options]

    def make(self):
        """Writes the corpus."""
        lengths, matrices = bundled_sentences(self.english)
        chance = random.Random(SEED)
        self.chosen = [chance.randrange(len(lengths)) for _ in range(self.count)]
        write_corpus(self.corpus, self.chosen, lengths, matrices)
        self.bundled = len(lengths)
        size = os.path.getsize(self.corpus) / 1e6
        words = sum(lengths[i] for i in self.chosen)
        self.say(f"{self.count:,} sentences, {words:,} words, {size:,.0f} MB")

    def run_one(self, threads):
        """One process with so many threads: memory and rate."""
        out = os.path.join(self.folder, f"threads{threads}")
        seconds, samples, peak = watch(self.decode("--threads", str(threads), "-o", out), out)
        self.say(
            f"{threads} threads: {seconds:.1f} s, {self.count / seconds:,.0f} sentences a second, "
            f"{os.path.getsize(out) / 1e6:,.0f} MB written, peak {peak / 1024:.1f} MiB"
        )
        self.measured(f"threads{threads}", seconds=seconds, rate=self.count / seconds,
                      peak=peak / 1024)  # fmt: skip
        early = [kb for _, done, kb in samples if 0 < done <= self.count // 10]
        late = [kb for _, done, kb in samples if done >= self.count * 9 // 10]
        if early and late:
            growth = max(late) - max(early)
            self.measured(f"threads{threads}", first=max(early) / 1024, last=max(late) / 1024)
            self.say(
                f"  memory: {max(early) / 1024:.1f} MiB in the first tenth, "
                f"{max(late) / 1024:.1f} MiB in the last",
                growth <= MOST_GROWTH,
            )
        self.say_rates(samples)
        return out

    def say_rates(self, samples):
        """They should be steady."""
        rates = []
        for part in range(4):
            inside = [
                (seconds, done)
                for seconds, done, _ in samples
                if self.count * part / 4 <= done <= self.count * (part + 1) / 4
            ]
            if len(inside) > 1 and inside[-1][0] > inside[0][0]:
                rates.append((inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0]))
        self.say(
            "  sentences a second of processor time, by quarters: "
            + ", ".join(f"{rate:,.0f}" for rate in rates),
            not rates or min(rates) > 0.7 * max(rates),
        )

    def run_many(self, processes):
        """Several processes at once, each with its part."""
        outs = [os.path.join(self.folder, f"part{i}") for i in range(1, processes + 1)]
        start = time.monotonic()
        running = [
            subprocess.Popen(
                self.decode("--threads", "1", "--shard", f"{i}/{processes}", "-o", out)
            )
            for i, out in enumerate(outs, start=1)
        ]
        codes = [process.wait() for process in running]
        seconds = time.monotonic() - start
        self.say(
            f"{processes} processes: {seconds:.1f} s, "
            f"{self.count / seconds:,.0f} sentences a second",
            not any(codes),
        )
        self.measured(f"processes{processes}", seconds=seconds, rate=self.count / seconds)
        return outs

    def check(self, out):
        """Every sentence against the bundled file, some of those against a run of their own."""
        whole = list(groups(io.BytesIO(output_of(self.decode(source=self.english)))))
        for i in random.Random(SEED).sample(range(self.bundled), SAMPLE):
            alone = output_of(
                self.decode(
                    "--threads", "1", "--shard", f"{i + 1}/{self.bundled}", source=self.english
                )
            )
            if list(groups(io.BytesIO(alone))) != [whole[i]]:
                self.say(f"sentence {i} by itself has other trees", False)
        count = 0
        with open(out, "rb") as file:
            for group in groups(file):
                if count >= self.count or group != whole[self.chosen[count]]:
                    self.say(
                        f"sentence {count} of the corpus has other trees than in the bundled file",
                        False,
                    )
                    return
                count += 1
        self.say(
            f"{count:,} sentences have the trees of the bundled file; "
            f"{SAMPLE} of those were decoded alone",
            count == self.count,
        )

    def all(self):
        """Everything; true where all is well."""
        self.make()
        one = self.run_one(1)
        self.check(one)
        expected = digest(one)
        os.unlink(one)
        eight = self.run_one(8)
        self.say("  the same output", digest(eight) == expected)
        os.unlink(eight)
        parts = self.run_many(8)
        self.say("  the same output, one part after the other", digest(*parts) == expected)
        return self.good


def main():
    """Runs everything; 0 where all is well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("coppice")
    parser.add_argument("data")
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--folder", help="where the corpus and the outputs go (a temporary folder)")
    parser.add_argument("--figures", action="store_true", help="print KEY VALUE lines")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        load = Load(arguments, folder)
        good = load.all()
    if arguments.figures:
        for key, value in load.figures.items():
            print(key, f"{value:.4g}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
