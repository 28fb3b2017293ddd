"""The order of the system calls of a checkpoint: data, then what claims it, then its name.

Usage: syncs_test.py CLI-TEST; where there is no strace, or it may not trace, nothing is tested.
"""

import re
import subprocess
import sys

TRACED = "openat,write,fsync,rename,unlink,unlinkat,close"


def calls():
    """(call, file) of all that is done to the files of an output, in order; files without their folder."""
    command = ["strace", "-f", "-qq", "-y", "-e", "trace=" + TRACED]
    command += [sys.argv[1], "--gtest_filter=Output.SyncsBeforeItClaims"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        return None
    if "ptrace" in result.stderr or result.returncode != 0:
        return None
    found = []
    for line in result.stderr.splitlines():
        match = re.search(r"\b(write|fsync|rename|unlink)(?:at)?\(.*?coppice-output-test-\d+([^>\"]*)", line)
        if match:
            found.append((match[1], match[2].lstrip("/")))
    return found


def main():
    """One checkpoint, another, the end."""
    found = calls()
    if found is None:
        print("syncs: no strace here, nothing tested")
        return
    checkpoint = [
        ("write", "out.partial"),
        ("fsync", "out.partial"),
        ("write", "out.resume.new"),
        ("fsync", "out.resume.new"),
        ("rename", "out.resume.new"),
        ("fsync", ""),
    ]
    end = [("fsync", "out.partial"), ("rename", "out.partial"), ("unlink", "out.resume"), ("fsync", "")]
    # First of all what an earlier run left goes; last of all the test's own folder.
    wanted = [("unlink", "out.resume"), *checkpoint, *checkpoint, *end]
    assert [call for call in found if call != ("unlink", "")] == wanted, found


main()
