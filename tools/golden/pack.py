#!/usr/bin/env python3
"""Packs a folder of golden cases into one archive, always into the same bytes.

usage: pack.py CASES_FOLDER [OUT=golden.tar.gz beside this file]

A case is a folder with TRACE.jsonl, results.jsonl, dump.jsonl and either a folder `store` or a `store.tar.gz` that holds one.
"""
import gzip
import io
import re
import sys
import tarfile
from pathlib import Path

# The write path: basics, IPv6, batches, transactions, delay, light queues, rolls, refusals, pool, sync flush, a mix.
WANTED = re.compile(r"[abcdefghln]-|o-mixed$")
LINES = ["TRACE.jsonl", "results.jsonl", "dump.jsonl"]


def store_files(case):
    """name -> bytes of the store's files, and None for its folders (an empty folder is part of a store, too)."""
    packed = case / "store.tar.gz"
    if packed.exists():
        with tarfile.open(packed) as tar:
            return {m.name: tar.extractfile(m).read() if m.isfile() else None for m in tar}
    paths = [case / "store", *(case / "store").rglob("*")]
    return {p.relative_to(case).as_posix(): p.read_bytes() if p.is_file() else None for p in paths}


def add(tar, name, data):
    """No times, owners or modes of this machine get in."""
    entry = tarfile.TarInfo(name)
    if data is None:
        entry.type = tarfile.DIRTYPE
        entry.mode = 0o755
        tar.addfile(entry)
    else:
        entry.size = len(data)
        entry.mode = 0o644
        tar.addfile(entry, io.BytesIO(data))


def main():
    cases = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_name("golden.tar.gz")
    count = 0
    with open(out, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for case in sorted(p for p in cases.iterdir() if WANTED.match(p.name)):
                add(tar, case.name, None)
                for name in LINES:
                    add(tar, f"{case.name}/{name}", (case / name).read_bytes())
                for name, data in sorted(store_files(case).items()):
                    add(tar, f"{case.name}/{name}", data)
                count += 1
    print(f"{out}: {count} cases, {out.stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main()
