# SPDX-License-Identifier: Apache-2.0
"""check.py -- tokenizers beside the packages that their files are from: small ones of every kind, and the published vocabularies that
scripts/models-venv.sh made, each with lines of mixed text.
usage: check.py WHOLE ENCODE FOLDER VOCABULARIES"""
import os
import subprocess
import sys


def main():
    whole, encode, folder, vocabularies = sys.argv[1:5]
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(folder, exist_ok=True)
    texts, short = os.path.join(folder, "texts"), os.path.join(folder, "short")

    def run(*args):
        return subprocess.run([sys.executable, os.path.join(here, args[0]), *args[1:]], stderr=subprocess.DEVNULL).returncode

    if not os.path.exists(texts):
        run("texts.py", texts, "10000")
    with open(texts, "rb") as f:
        lines = [x for x in f.read().split(b"\0")[:-1] if len(x) < 90]
    with open(short, "wb") as f:
        f.write(b"".join(x + b"\0" for x in lines[:500]))
    bad = run("kinds.py", whole, short, os.path.join(folder, "kinds"))
    bad |= run("pieces.py", encode, short, os.path.join(folder, "pieces"))
    names = ["gpt2.json", "cl100k_base.json", "o200k_base.json"] + [f"{n}_base.npm.json" for n in ("r50k", "p50k", "cl100k", "o200k")]
    for name in names:
        path = os.path.join(vocabularies, name)
        if os.path.exists(path):
            bad |= run("compare.py", encode, path, texts)
        else:
            print(f"skipped: {path} is not there (scripts/models-venv.sh makes it)")
    sys.exit(bad != 0)


main()
