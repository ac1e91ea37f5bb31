# SPDX-License-Identifier: Apache-2.0
"""kinds.py -- small trained tokenizers with every kind of normalizer, pre-tokenizer, model, processor and decoder, and what the program `whole` says of
lines of text beside PyPI's tokenizers.
usage: kinds.py WHOLE TEXTS FOLDER [NAME...]; tokenizers are written to FOLDER"""
import base64
import os
import struct
import subprocess
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def charsmap():
    """A sentencepiece map of few characters: a double array with one node per byte."""
    rules = {"\u00a0": " ", "\ufb01": "fi", "\u2161": "II", "A": "a", "e\u0301": "\u00e9", "\u3000": " ", "\u00ad": "", "\u2028": "\n"}
    trie, texts = {}, b""
    for key, value in rules.items():
        node = trie
        for b in key.encode():
            node = node.setdefault(b, {})
        node[-1] = len(texts)
        texts += value.encode() + b"\0"
    units, used = {}, {0}

    def place(node, at):
        children = sorted(k for k in node if k >= 0) + ([0] if -1 in node else [])
        base = 1
        while (at ^ base ^ 0) < 0 or any((base ^ c) in used or (base ^ c) < 256 for c in children) or base & ~0x1fffff:
            base += 1
        offset = base ^ at
        units[at] = units.get(at, 0) | (offset << 10) | (0x100 if -1 in node else 0)
        for c in children:
            used.add(base ^ c)
        if -1 in node:
            units[base] = node[-1] | 1 << 31
        for c in children:
            if c:
                units[base ^ c] = c
                place(node[c], base ^ c)

    place(trie, 0)
    blob = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(max(units) + 256))
    return struct.pack("<I", len(blob)) + blob + texts


def precompiled():
    return normalizers.Precompiled(charsmap())


def corpus(path):
    with open(path, "rb") as f:
        return [x.decode("utf-8", "replace") for x in f.read().split(b"\0")[:3000]]


SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]


def trained(model, trainer, lines, normalizer=None, pre=None):
    t = Tokenizer(model)
    if normalizer:
        t.normalizer = normalizer
    if pre:
        t.pre_tokenizer = pre
    t.train_from_iterator(lines, trainer)
    return t


def small():
    return dict(vocab_size=900, special_tokens=SPECIAL, show_progress=False)


def kinds(lines):
    N, P, D = normalizers, pre_tokenizers, decoders

    def bpe(pre, normalizer=None, **more):
        marks = {k: v for k, v in more.items() if "sub" in k or "suffix" in k}
        return trained(models.BPE(unk_token="[UNK]", **more), trainers.BpeTrainer(**small(), **marks), lines, normalizer, pre)

    def wordpiece(normalizer, pre=None):
        return trained(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=50), trainers.WordPieceTrainer(**small()), lines, normalizer,
                       pre or P.BertPreTokenizer())

    def unigram(normalizer, pre):
        return trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=900, unk_token="[UNK]", special_tokens=SPECIAL, show_progress=False),
                       [x for x in lines if x and max(x) < "\u0250"], normalizer, pre)

    out = {}
    t = wordpiece(N.BertNormalizer())
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    t.decoder = D.WordPiece()
    out["bert"] = t
    t = wordpiece(N.BertNormalizer(lowercase=False, clean_text=False, strip_accents=True))
    t.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    t.decoder = D.WordPiece(cleanup=False)
    t.enable_truncation(9, stride=2)
    t.enable_padding(pad_id=3, pad_token="[PAD]", length=12)
    out["bert_cased_cut"] = t
    t = bpe(P.ByteLevel(add_prefix_space=True))
    t.post_processor = processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1))
    t.decoder = D.ByteLevel()
    t.add_tokens([AddedToken("<mask>", lstrip=True), AddedToken("the", single_word=True), AddedToken("[MASK] x", rstrip=True)])
    out["roberta"] = t
    t = bpe(P.ByteLevel(add_prefix_space=False))
    t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True),
                                            processors.TemplateProcessing(single="[CLS] $0", pair="[CLS] $A $B:1 [SEP]:2",
                                                                          special_tokens=[("[CLS]", 1), ("[SEP]", 2)])])
    t.decoder = D.ByteLevel()
    t.enable_truncation(7, direction="left", strategy="longest_first")
    t.enable_padding(direction="left", pad_id=3, pad_to_multiple_of=4)
    out["bytelevel_left"] = t
    t = bpe(P.Sequence([P.Split(Regex(CL100K), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)]), N.NFC())
    t.decoder = D.ByteLevel()
    out["cl100k_nfc"] = t
    t = bpe(P.Sequence([P.Split(Regex(GPT4O), "removed", invert=True), P.ByteLevel(add_prefix_space=False, use_regex=False, trim_offsets=False)]))
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    t.decoder = D.ByteLevel()
    out["o200k_small"] = t
    t = bpe(P.Sequence([P.Digits(individual_digits=True), P.Punctuation("contiguous"), P.ByteLevel(add_prefix_space=False)]))
    t.decoder = D.Sequence([D.ByteLevel()])
    t.enable_truncation(12, strategy="only_first", stride=1)
    out["digits"] = t
    t = bpe(P.Whitespace(), N.Sequence([N.NFD(), N.Lowercase(), N.StripAccents()]), end_of_word_suffix="</w>")
    t.decoder = D.BPEDecoder()
    out["clip"] = t
    t = bpe(P.WhitespaceSplit(), N.NFKC(), continuing_subword_prefix="##", fuse_unk=True)
    out["bpe_prefix_fused"] = t
    t = bpe(P.Metaspace(), N.Sequence([N.Nmt(), N.NFKD(), N.Replace(Regex(" {2,}"), " ")]), fuse_unk=False)
    t.decoder = D.Metaspace()
    out["metaspace_nmt"] = t
    base = bpe(None, N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")]))
    import json
    j = json.loads(base.to_str())
    n = max(j["model"]["vocab"].values()) + 1
    for i in range(256):
        j["model"]["vocab"][f"<0x{i:02X}>"] = n + i
    j["model"]["byte_fallback"] = j["model"]["fuse_unk"] = True
    t = Tokenizer.from_str(json.dumps(j))
    t.decoder = D.Sequence([D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
    out["llama"] = t
    t = unigram(N.Sequence([precompiled(), N.Replace(Regex(" {2,}"), " ")]), P.Metaspace(prepend_scheme="always"))
    t.decoder = D.Metaspace(prepend_scheme="always")
    t.post_processor = processors.TemplateProcessing(single="$A [SEP]", pair="$A [SEP] $B [SEP]", special_tokens=[("[SEP]", 2)])
    out["t5"] = t
    t = unigram(N.Sequence([N.Strip(), N.NFKC()]), P.Sequence([P.UnicodeScripts(), P.Metaspace(prepend_scheme="first", split=False)]))
    t.decoder = D.Metaspace(prepend_scheme="first")
    j = json.loads(t.to_str())
    j["model"]["vocab"] += [[f"<0x{i:02X}>", -15.0] for i in range(256)]
    j["model"]["byte_fallback"] = True
    out["unigram_scripts"] = Tokenizer.from_str(json.dumps(j))
    t = trained(models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer(**small()), lines, N.Sequence([N.Strip(right=False), N.Lowercase()]), P.Sequence(
        [P.WhitespaceSplit(), P.Punctuation("merged_with_previous")]))
    t.add_special_tokens(["<|endoftext|>"])
    t.add_tokens([AddedToken("Hello", normalized=True), AddedToken("World", normalized=False), AddedToken("x", single_word=True, lstrip=True, rstrip=True)])
    out["words"] = t
    t = trained(models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer(**small()), lines, None,
                P.Sequence([P.CharDelimiterSplit(" "), P.FixedLength(3)]))
    t.decoder = D.CTC("[PAD]", "|")
    t.enable_truncation(10, strategy="only_second")
    out["fixed"] = t
    t = wordpiece(N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase(), N.Prepend("_")]),
                  P.Sequence([P.Split(" ", "merged_with_next"), P.Split(Regex(r"[\w']+"), "merged_with_previous"), P.Punctuation("removed"), P.Digits()]))
    t.decoder = D.Sequence([D.WordPiece(prefix="##"), D.Replace(Regex("a+"), "b")])
    out["splits"] = t
    t = bpe(P.Split(Regex(r"\s+|[A-Z]?[a-z]+|\d{1,2}(?=\d)|\p{Han}|\W"), "isolated"), N.Sequence([N.ByteLevel()]))
    t.decoder = D.ByteLevel()
    out["normal_bytes"] = t
    t = bpe(P.Sequence([P.Split(Regex(r"^\s*#.*$|(?<=\w)[-'](?=\w)"), "contiguous"), P.Split(Regex(r"[^\s]+"), "merged_with_next", invert=True),
                        P.Metaspace(prepend_scheme="never")]), None)
    t.decoder = D.Strip("x", 1, 0)
    out["lines"] = t
    return out


class Reader:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.at = 0

    def number(self):
        self.at += 4
        return struct.unpack_from("<i", self.bytes, self.at - 4)[0]

    def text(self):
        n = self.number()
        self.at += n
        return self.bytes[self.at - n:self.at].decode("utf-8", "replace")

    def tokens(self):
        n = self.number()
        if n < 0:
            return self.text()
        rows = [struct.unpack_from("<7i", self.bytes, self.at + 28 * i) for i in range(n)]
        self.at += 28 * n
        return rows, [self.tokens() for _ in range(self.number())]


def theirs(e):
    rows = [(i, a, b, t, -1 if w is None else w, s, m) for i, (a, b), t, w, s, m in
            zip(e.ids, e.offsets, e.type_ids, e.word_ids, e.special_tokens_mask, e.attention_mask)]
    return rows, [theirs(o) for o in e.overflowing]


def flat(tokens):
    """What was cut off, without what the reference keeps beside that again."""
    rows, over = tokens
    return rows, [o[0] for o in over]


def streamed(t, ids):
    stream, out = decoders.DecodeStream(skip_special_tokens=True), ""
    try:
        for i in ids:
            out += stream.step(t, i) or ""
    except Exception:
        return None
    return out


def compare(program, name, t, lines, texts, folder):
    path, out = os.path.join(folder, name + ".json"), os.path.join(folder, name + ".out")
    bad = 0
    for pairs in (False, True):
        subprocess.run([program, path, texts, out] + (["pairs"] if pairs else []), check=True)
        r = Reader(out)
        for k in range(0, len(lines) - pairs, 2 if pairs else 1):
            mine = r.tokens()
            decoded = [r.text(), r.text(), r.text()] if not isinstance(mine, str) else None
            try:
                e = t.encode(lines[k], lines[k + 1]) if pairs else t.encode(lines[k])
                want = flat(theirs(e))
            except BaseException as error:
                e, want = None, f"{error}"
            same = (e is None) == isinstance(mine, str) and (e is None or flat(mine) == want)
            back = None
            if e is not None and not isinstance(mine, str):
                try:
                    back = [t.decode(e.ids), t.decode(e.ids, skip_special_tokens=False), streamed(t, e.ids)]
                except BaseException:
                    back = None
                same = same and (back is None or all(b is None or b == d for b, d in zip(back, decoded)))
            if not same:
                bad += 1
                if bad <= int(os.environ.get("SHOW", "2")):
                    print(f"{name}, line {k}{' of pairs' if pairs else ''}: {lines[k][:150]!r}")
                    if e is not None and not isinstance(mine, str) and flat(mine) == want:
                        print(f"   ours {decoded!r}\n   ref. {back!r}"[:900])
                    elif not isinstance(mine, str) and e is not None:
                        a, b = flat(mine), want
                        i = next((i for i, (x, y) in enumerate(zip(a[0], b[0])) if x != y), min(len(a[0]), len(b[0])))
                        print(f"   at {i} of {len(a[0])}, {len(b[0])}; cut off {len(a[1])}, {len(b[1])}")
                        print(f"   ours {a[0][max(0, i - 1):i + 4]}\n   ref. {b[0][max(0, i - 1):i + 4]}")
                    else:
                        print(f"   ours {str(mine)[:200]}\n   ref. {str(want)[:200]}")
    print(f"{name}: {bad} lines differ", flush=True)
    return bad


def main():
    program, texts, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    lines = corpus(texts)
    bad = 0
    if not os.path.exists(os.path.join(folder, "done")):
        for name, t in kinds(lines).items():
            t.save(os.path.join(folder, name + ".json"), pretty=False)
        open(os.path.join(folder, "done"), "w", encoding="utf-8").close()
    with open(texts, "rb") as f:
        lines = [x.decode("utf-8", "replace") for x in f.read().split(b"\0")[:-1]]
    names = sys.argv[4:] or sorted(x[:-5] for x in os.listdir(folder) if x.endswith(".json"))
    for name in names:
        bad += compare(program, name, Tokenizer.from_file(os.path.join(folder, name + ".json")), lines, texts, folder)
    sys.exit(bad > 0)


main()
