#!/usr/bin/env python3
"""Runs the packed traces through the Java harness and compares with what is packed: does the pack still say what Java does?

usage: check.py [--jobs N]      needs a JDK and Maven; exit code 0: equal except for what varies in Java
"""
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HARNESS = HERE.parent / "java" / "run.sh"
# Ended by a killed process, which a batch cannot do.
CRASHED = {"l-transient-crash"}
# Dump lines that differ from run to run in Java itself (README.md says why).
VARYING = {
    "b-ipv6-flag-mismatch": lambda d: d["t"] == "file" and d["path"].startswith("commitlog/") or d.get("decoded") is False,
    "l-transient": lambda d: "32768" in (d.get("path") or d.get("file") or "") and d["t"] in ("file", "clTail"),
    "e-delay-deliver": lambda d: d["t"] == "config",
}


def batch(calls, folder, jobs):
    listing = folder / "list"
    listing.write_text("".join("\t".join(map(str, c)) + "\n" for c in calls))
    subprocess.run([HARNESS, "batch", listing, "--jobs", jobs], check=True, stdout=subprocess.DEVNULL)


def dump_lines(case, file):
    varies = VARYING.get(case, lambda d: False)
    return [line for line in file.read_text().splitlines() if not varies(json.loads(line))]


def differing(expected, actual):
    """Pairs of unequal lines; None stands for a line that is not there."""
    longest = max(len(expected), len(actual))
    pad = lambda lines: lines + [None] * (longest - len(lines))
    return [(e, a) for e, a in zip(pad(expected), pad(actual)) if e != a]


def main():
    jobs = sys.argv[2] if sys.argv[1:2] == ["--jobs"] else "4"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(HERE / "golden.tar.gz") as tar:
            tar.extractall(folder / "golden")
        cases = sorted(p.name for p in (folder / "golden").iterdir())
        trace = {c: folder / "golden" / c / "TRACE.jsonl" for c in cases}
        run = {c: ["run", trace[c], "--store", folder / c, "--stable-index-names"] for c in cases}
        batch([[folder / f"{c}.results", *run[c]] for c in cases if c not in CRASHED], folder, jobs)
        for c in CRASHED:
            with open(folder / f"{c}.results", "w") as out:
                subprocess.run([HARNESS, *run[c], "--crash"], check=True, stdout=out)
        batch([[folder / f"{c}.dump", "dump", "--store", folder / c, "--trace-config", trace[c]] for c in cases], folder, jobs)

        bad = 0
        for c in cases:
            packed = folder / "golden" / c
            pairs = differing((packed / "results.jsonl").read_text().splitlines(), (folder / f"{c}.results").read_text().splitlines())
            pairs += differing(dump_lines(c, packed / "dump.jsonl"), dump_lines(c, folder / f"{c}.dump"))
            bad += bool(pairs)
            print(f"{c}: {'equal' if not pairs else f'{len(pairs)} lines differ'}")
            for expected, actual in pairs[:3]:
                print(f"  packed {expected}\n  now    {actual}")
        print(f"{len(cases)} cases, {bad} differ")
        return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
