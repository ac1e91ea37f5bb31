# SPDX-License-Identifier: Apache-2.0
"""cases.py -- small tokenizers of each kind, with what PyPI's tokenizers makes of some texts: tests/unit/models/tokenizer_cases.h.
usage: cases.py > tests/unit/models/tokenizer_cases.h"""
import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

TEXTS = ["the cat sat", " The  Cat's\u00a0cats 12\n", "caf\u00e9 cafe\u0301 \u4f60\u597d", "\U0001f600[MASK] tha!", ""]
LETTERS = sorted(set("the cat sat The  Cat's cats 12caf\u00e9 cafe\u0301 tha!"))


def byte_level_vocab(merges):
    chars = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {c: i for i, c in enumerate(chars)}
    for a, b in merges:
        vocab[a + b] = len(vocab)
    return vocab


def words_of(*words):
    return {w: i for i, w in enumerate(words)}


def cases():
    N, P, D = normalizers, pre_tokenizers, decoders
    merges = [("t", "h"), ("th", "e"), ("a", "t"), ("\u0120", "c"), ("\u0120c", "at"),
              ("s", "at"), ("\u0120", "\u0120"), ("\u00c3", "\u00a9"), ("th", "at")]
    t = Tokenizer(models.BPE(vocab=byte_level_vocab(merges), merges=merges))
    t.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
    t.decoder = D.ByteLevel()
    t.add_special_tokens(["[MASK]"])
    yield "gpt2", t
    t = Tokenizer(models.BPE(vocab=byte_level_vocab(merges), merges=merges))
    t.pre_tokenizer = P.ByteLevel(add_prefix_space=True)
    t.post_processor = processors.RobertaProcessing(("a", 64), ("b", 65))
    t.decoder = D.ByteLevel()
    t.add_tokens([AddedToken("[MASK]", lstrip=True, rstrip=True)])
    t.enable_truncation(8, stride=1)
    t.enable_padding(length=10, pad_id=5)
    yield "roberta", t
    t = Tokenizer(models.WordPiece(words_of("[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "sat", "cafe", "'", "s", "12", "!", "\u4f60", "[MASK]", "th", "##a"),
                                   unk_token="[UNK]", max_input_chars_per_word=20))
    t.normalizer = N.BertNormalizer()
    t.pre_tokenizer = P.BertPreTokenizer()
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    t.decoder = D.WordPiece()
    t.add_special_tokens(["[MASK]"])
    yield "bert", t
    t = Tokenizer(models.Unigram([("<unk>", 0.0), ("\u2581", -2.0), ("\u2581the", -3.0), ("\u2581cat", -3.5), ("s", -3.0), ("at", -3.2), ("t", -4.0), ("a", -4.1),
                                  ("h", -4.2), ("e", -4.3), ("c", -4.4), ("sat", -6.5), ("\u2581c", -5.0), ("f", -5.0), ("\u00e9", -6.0)], 0, False))
    t.normalizer = N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = P.Metaspace()
    t.decoder = D.Metaspace()
    yield "unigram", t
    vocab = words_of("<unk>", *(f"<0x{i:02X}>" for i in range(256)), "\u2581", *[c for c in LETTERS if c != " "][:20], "at", "\u2581t", "cat")
    t = Tokenizer(models.BPE(vocab=vocab, merges=[("a", "t"), ("\u2581", "t"), ("c", "at")], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")])
    t.decoder = D.Sequence([D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
    yield "llama", t
    t = Tokenizer(models.WordLevel(words_of("?", "the", "cat", "sat", "s", "cafe", "!"), unk_token="?"))
    t.normalizer = N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase(), N.Strip()])
    t.pre_tokenizer = P.Sequence([P.Whitespace(), P.Digits(True), P.Punctuation("removed")])
    t.add_tokens([AddedToken("cats", single_word=True)])
    yield "words", t
    t = Tokenizer(models.BPE(vocab=words_of("[UNK]", "t", "h", "e", "##h", "##e", "##t", "th", "the", "c", "##a", "a", "at", "s"),
                             merges=[("t", "##h"), ("th", "##e"), ("a", "##t")], unk_token="[UNK]", continuing_subword_prefix="##"))
    t.pre_tokenizer = P.Sequence([P.Split(Regex(r"\s+|(?<=[a-z])'|[A-Z]?[a-z]{2}"), "merged_with_previous"), P.CharDelimiterSplit(" ")])
    t.enable_truncation(6, direction="left")
    yield "prefix", t


def c_text(s):
    out = ""
    for b in s.encode():
        out += chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}"
    return '"' + out + '"'


def chunks(s, n=100):
    encoded, i = s.encode(), 0
    lines = []
    while i < len(encoded):
        j = min(i + n, len(encoded))
        while j < len(encoded) and encoded[j] & 0xc0 == 0x80:
            j -= 1
        lines.append(c_text(encoded[i:j].decode()))
        i = j
    return lines or ['""']


HEAD = r"""#include <stdint.h>

/* A token, and a text with all of them, the text that comes back, and how many parts were cut off. */
typedef struct token {
    int32_t id;
    int64_t from, to;
    int32_t word, special, mask;
} token;
typedef struct expected {
    const char *text;
    int n;
    token of[32];
    const char *back;
    int overflow;
} expected;
"""


def main():
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(" * tokenizer_cases.h -- small tokenizers, and what PyPI's tokenizers makes of texts: made by tests/models/tokenizers/cases.py. */")
    print("/* clang-format off */")
    print(HEAD)
    names = []
    for name, t in cases():
        j = json.loads(t.to_str())
        print(f"static const char {name}_json[] =")
        print("\n".join("    " + x for x in chunks(json.dumps(j, ensure_ascii=False, separators=(",", ":")))) + ";")
        print(f"static const expected {name}_texts[] = {{")
        for text in TEXTS:
            e = t.encode(text)
            rows = ", ".join(f"{{{i}, {a}, {b}, {-1 if w is None else w}, {s}, {m}}}" for i, (a, b), w, s, m in
                             zip(e.ids, e.offsets, e.word_ids, e.special_tokens_mask, e.attention_mask))
            print(f"    {{{c_text(text)}, {len(e.ids)}, {{{rows or '{0}'}}},")
            print(f"     {c_text(t.decode(e.ids))}, {len(e.overflowing)}}},")
        print("};")
        names.append(name)
    print("static const struct { const char *name, *json; const expected *texts; } kinds[] = {")
    print("\n".join(f'    {{"{n}", {n}_json, {n}_texts}},' for n in names))
    print("};")
    print(f"enum {{ TEXTS = {len(TEXTS)}, KINDS = {len(names)} }};")


main()
