# SPDX-License-Identifier: Apache-2.0
"""pieces.py -- small sentencepiece models, of unigrams and byte pairs, and what the program `encode` makes of lines of text beside PyPI's sentencepiece.
usage: pieces.py ENCODE TEXTS FOLDER"""
import os
import subprocess
import sys

import numpy as np

try:
    import sentencepiece
except ImportError:
    print("skipped: PyPI's sentencepiece is not there (scripts/models-venv.sh gets it)")
    sys.exit(0)

KINDS = (("unigram", False, []), ("bpe", False, []), ("bpe", True, ["<sep>"]), ("unigram", True, ["Hello"]))


def main():
    program, texts, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    with open(texts, "rb") as f:
        lines = [x.decode("utf-8", "replace") for x in f.read().split(b"\0")[:-1]]
    train = [x for x in lines if x and max(x) < "\u0500" and "\n" not in x and len(x) < 200]
    out, failed = os.path.join(folder, "out"), 0
    for k, (kind, fallback, user) in enumerate(KINDS):
        name = os.path.join(folder, f"{kind}{k}")
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(train), model_prefix=name, vocab_size=1000, model_type=kind, byte_fallback=fallback,
                                                 user_defined_symbols=user, minloglevel=2, character_coverage=0.99, hard_vocab_limit=False)
        subprocess.run([program, name + ".model", texts, out], check=True, stdout=subprocess.DEVNULL)
        model, mine, at, bad = sentencepiece.SentencePieceProcessor(model_file=name + ".model"), np.fromfile(out, np.int32), 0, 0
        for line in lines:
            n = int(mine[at])
            ids = mine[at + 1:at + 1 + 3 * n:3].tolist()
            at += 1 + 3 * n
            if ids != model.encode(line):
                bad += 1
                if bad < 3:
                    print(f"{line!r}\n   ours {[model.id_to_piece(i) for i in ids]}\n   ref. {model.encode(line, out_type=str)}")
        print(f"{kind}{', bytes' if fallback else ''}{', ' + user[0] if user else ''}: {bad} of {len(lines)} lines differ", flush=True)
        failed += bad
    sys.exit(failed > 0)


main()
