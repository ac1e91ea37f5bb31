/* SPDX-License-Identifier: Apache-2.0
 * tokenizer.h -- a tokenizer as its file describes it, and the work on one text: normalizers and pre-tokenizers make
 * pieces of it, whose bytes know where they came from; the model makes tokens of each piece; processors add special
 * tokens.
 *
 * A tokenizer is read-only while texts are encoded; what changes is in a kntok_work, of which each thread takes one. */
#ifndef KN_MODELS_TOKENIZER_TOKENIZER_H
#define KN_MODELS_TOKENIZER_TOKENIZER_H
#include "models/models.h"
#include "models/tokenizer/unicode.h"
#include "kiln/models/tokenizer.h"
#include <pthread.h>

/* ---- Texts and their numbers (map.c). */

typedef struct kntok_slot {
    uint32_t hash, at, n;
    int32_t id;
} kntok_slot;
/* From texts to numbers; the texts lie in `text`. */
typedef struct kntok_map {
    kntok_slot *slot;
    uint32_t mask, n;
    knbeside_bytes text;
    uint32_t longest;
} kntok_map;
uint32_t kntok_hash(const void *s, size_t n);
int32_t kntok_map_get(const kntok_map *m, const void *s, size_t n); /* -1: not there */
/* Sets the number of a text; false: no memory. */
bool kntok_map_set(kntok_map *m, const void *s, size_t n, int32_t id);
void kntok_map_free(kntok_map *m);

/* From pairs of numbers to two numbers. */
typedef struct kntok_pair {
    uint64_t key;
    uint32_t rank;
    int32_t to;
} kntok_pair; /* key 0: free; else the pair + 1 */
typedef struct kntok_pairs {
    kntok_pair *slot;
    uint64_t mask, n;
} kntok_pairs;
static inline const kntok_pair *kntok_pairs_get(const kntok_pairs *m, int32_t a, int32_t b)
{
    uint64_t key = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1;
    for (uint64_t i = key * 0x9e3779b97f4a7c15u >> 20 & m->mask;; i = (i + 1) & m->mask) {
        if (m->slot[i].key == key)
            return &m->slot[i];
        if (!m->slot[i].key)
            return NULL;
    }
}
bool kntok_pairs_set(kntok_pairs *m, int32_t a, int32_t b, uint32_t rank, int32_t to);

/* The vocabulary: texts of numbers, and numbers of texts. */
typedef struct kntok_vocab {
    kntok_map map;
    struct {
        uint32_t at, n;
        bool there;
    } * of;         /* by number */
    int32_t top;    /* one more than the greatest number */
    uint32_t count; /* of texts */
} kntok_vocab;
/* Makes the way back from numbers to texts when all is set. */
int kntok_vocab_finish(const char *op, kntok_vocab *v);
static inline const char *kntok_vocab_text(const kntok_vocab *v, int32_t id, size_t *n)
{
    if (id < 0 || id >= v->top || !v->of[id].there)
        return NULL;
    *n = v->of[id].n;
    return (const char *)v->map.text.at + v->of[id].at;
}
void kntok_vocab_free(kntok_vocab *v);

/* ---- Patterns (regex.c, split.c). */

enum kntok_known { KNTOK_UNKNOWN_PATTERN, KNTOK_GPT2, KNTOK_CL100K, KNTOK_O200K };
typedef struct kntok_pattern {
    void *code;             /* of PCRE2 */
    enum kntok_known known; /* split by hand */
    int digits;             /* how many numbers go together: 1 to 3; 0: all */
    bool end_first;         /* white space at the end of the text stays together in front of lines' ends */
    char *literal;          /* a text that is searched for as it is */
    size_t n;
} kntok_pattern;
/* A pattern in Oniguruma's syntax; NULL with an error. */
kntok_pattern *kntok_pattern_new(const char *op, const char *text, size_t n);
kntok_pattern *kntok_literal_new(const char *op, const char *text, size_t n);
void kntok_pattern_free(kntok_pattern *p);

typedef struct kntok_match {
    uint32_t from, to;
    bool is;
} kntok_match;
typedef struct kntok_matches {
    kntok_match *at;
    size_t n, room;
    bool failed;
} kntok_matches;
void kntok_match_put_slow(kntok_matches *to, uint32_t from, uint32_t end, bool is);
static inline void kntok_match_put(kntok_matches *to, uint32_t from, uint32_t end, bool is)
{
    if (to->n < to->room)
        to->at[to->n++] = (kntok_match){from, end, is};
    else
        kntok_match_put_slow(to, from, end, is);
}
struct kntok_work;
/* Where a pattern matches in a text, and what lies between. */
void kntok_find(struct kntok_work *w, const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to);
void kntok_split_known(const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to);

/* ---- Pieces of a text (text.c). */

/* A part of the text, or of what was made of it; from, to: the part of the text that it stands for. */
typedef struct kntok_piece {
    uint32_t at, n, from, to;
    int32_t id; /* of an added token; -1: none */
    bool made;  /* its bytes are in the pool */
} kntok_piece;
typedef struct kntok_pieces {
    kntok_piece *at;
    size_t n, room;
    bool failed;
} kntok_pieces;

/* A token of an encoding. */
typedef struct kntok_token {
    int32_t id, type, word;
    uint32_t from, to;
    uint16_t lead, trail; /* how many blanks its text begins and ends with */
    uint8_t special, mask;
    int8_t sequence;
} kntok_token;
typedef struct kntok_encoding {
    kntok_token *at;
    size_t n, room;
    struct kntok_encoding *overflow;
    size_t n_overflow;
} kntok_encoding;

typedef struct kntok_symbol {
    int32_t id, to, prev, next;
    uint32_t n, rank;
} kntok_symbol; /* rank, to: with the next one */
typedef struct kntok_cached {
    uint8_t n, count;
    uint8_t key[22];
    int32_t id[8];
    uint8_t length[8];
} kntok_cached;
enum { KNTOK_CACHE = 1 << 14 };

/* What one thread has while it encodes. */
typedef struct kntok_work {
    const struct kntok_tokenizer *of;
    struct kntok_work *next; /* of those that are free */
    const uint8_t *text;     /* well-formed */
    size_t n;
    knbeside_bytes mended; /* the text, where it was not */
    uint8_t *pool;         /* what was made of it, and where each byte came from */
    struct {
        uint32_t from, to;
    } * origin;
    size_t n_pool, pool_room;
    kntok_pieces pieces, others;
    kntok_chars chars, scratch;
    kntok_matches matches, runs;
    kntok_encoding out; /* the tokens of the text */
    kntok_symbol *symbol;
    size_t symbol_room;
    uint64_t *heap;
    size_t heap_room, n_heap;
    double *score;
    int32_t *best;
    uint32_t *begin;
    size_t score_room;
    knbeside_bytes piece; /* a text that is looked up */
    kntok_cached *cache;
    uint32_t *char_at, *byte_at; /* numbers of characters by bytes, of bytes by characters */
    size_t char_room, byte_room;
    size_t characters;  /* of the text */
    bool plain_offsets; /* each character is a byte */
    void *match_data;
    bool failed;       /* no memory */
    const char *wrong; /* what the model says of a piece */
} kntok_work;

static inline const uint8_t *kntok_bytes(const kntok_work *w, const kntok_piece *p)
{
    return (p->made ? w->pool : w->text) + p->at;
}
/* The part of the text that bytes from..to of a piece stand for. */
void kntok_origin(const kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to, uint32_t *begin,
                  uint32_t *end);
kntok_piece kntok_slice(const kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to);
void kntok_piece_put(kntok_pieces *to, kntok_piece p);
/* w->chars become the bytes of the piece; `skipped` characters at its beginning are dropped. */
void kntok_transform(kntok_work *w, kntok_piece *p, size_t skipped);
/* Puts text in front of a piece that has any. */
void kntok_prepend(kntok_work *w, kntok_piece *p, const char *text, size_t n);
/* w->matches become `text` each. */
void kntok_replace(kntok_work *w, kntok_piece *p, const char *text, size_t n);
/* Cuts off white space. */
void kntok_strip(kntok_work *w, kntok_piece *p, bool left, bool right, bool blanks); /* blanks: nothing but U+0020 */
enum kntok_behavior {
    KNTOK_REMOVED,
    KNTOK_ISOLATED,
    KNTOK_MERGED_WITH_PREVIOUS,
    KNTOK_MERGED_WITH_NEXT,
    KNTOK_CONTIGUOUS
};
/* Parts of a piece by w->matches, to w->others; `invert`: what matches is what lies between. */
void kntok_split(kntok_work *w, const kntok_piece *p, enum kntok_behavior behavior, bool invert);

/* ---- Steps: normalizers, pre-tokenizers, processors, decoders. */

enum kntok_kind {
    KNTOK_NFC,
    KNTOK_NFD,
    KNTOK_NFKC,
    KNTOK_NFKD,
    KNTOK_LOWERCASE,
    KNTOK_STRIP,
    KNTOK_STRIP_ACCENTS,
    KNTOK_REPLACE,
    KNTOK_PREPEND,
    KNTOK_BERT_NORMALIZER,
    KNTOK_NMT,
    KNTOK_BYTE_LEVEL,
    KNTOK_PRECOMPILED,
    KNTOK_BERT,
    KNTOK_METASPACE,
    KNTOK_WHITESPACE,
    KNTOK_WHITESPACE_SPLIT,
    KNTOK_PUNCTUATION,
    KNTOK_DIGITS,
    KNTOK_SPLIT,
    KNTOK_DELIMITER,
    KNTOK_SCRIPTS,
    KNTOK_FIXED_LENGTH,
    KNTOK_TEMPLATE,
    KNTOK_BERT_PROCESSING,
    KNTOK_ROBERTA,
    KNTOK_BPE_DECODER,
    KNTOK_BYTE_FALLBACK,
    KNTOK_CTC,
    KNTOK_FUSE,
    KNTOK_WORDPIECE_DECODER
};
enum kntok_scheme { KNTOK_ALWAYS, KNTOK_FIRST, KNTOK_NEVER };

/* A part of a template. */
typedef struct kntok_part {
    bool is_text;
    int sequence;
    int32_t type;
    int32_t *ids;
    size_t n;
} kntok_part;
/* The trie of a sentencepiece character map. */
typedef struct kntok_charsmap {
    uint32_t *unit;
    size_t units;
    char *text;
    size_t n;
} kntok_charsmap;

typedef struct kntok_step {
    enum kntok_kind kind;
    bool a, b, c, d; /* what its flags say, in the order of its members in the file */
    int64_t i, j;
    char *text, *other;
    size_t n, n_other;
    uint32_t character;
    enum kntok_behavior behavior;
    enum kntok_scheme scheme;
    kntok_pattern *pattern;
    kntok_charsmap *charsmap;
    kntok_part *part[2]; /* of a template: of one text, of two */
    size_t n_part[2];
    int32_t cls, sep;
} kntok_step;
typedef struct kntok_steps {
    kntok_step *at;
    size_t n;
} kntok_steps;

void kntok_normalize(kntok_work *w, const kntok_steps *steps, kntok_piece *p);
void kntok_map_chars(kntok_work *w, const kntok_step *s, kntok_piece *p); /* Precompiled */
void kntok_pretokenize(kntok_work *w, const kntok_steps *steps);
void kntok_byte_chars(kntok_work *w, kntok_piece *p); /* each byte becomes the character of ByteLevel */
extern const uint16_t kntok_byte_char[256];
int kntok_char_byte(uint32_t c); /* the byte of a character of ByteLevel; -1: none */

/* ---- Added tokens (added.c). */

typedef struct kntok_added {
    char *text, *normal; /* normal: as the normalizers have it; NULL: the same */
    size_t n, n_normal;
    int32_t id;
    bool single_word, lstrip, rstrip, normalized, special;
    bool hidden; /* not looked for in texts */
    bool as_is;  /* normalized, and its text is what normalizers make already */
} kntok_added;
typedef struct kntok_trie {
    struct kntok_trie_node {
        uint32_t first, next;
        uint8_t byte;
        int32_t value;
    } * node;
    size_t n, room;
    uint32_t root[256]; /* 0: none */
} kntok_trie;
bool kntok_trie_put(kntok_trie *t, const char *text, size_t n, int32_t value); /* the first one of a text stays */
void kntok_trie_free(kntok_trie *t);
void kntok_cut_added(kntok_work *w, const kntok_trie *trie, const kntok_piece *p);
int kntok_add(const char *op, struct kntok_tokenizer *t, const kntok_added *added, size_t n);
const kntok_added *kntok_added_of(const struct kntok_tokenizer *t, int32_t id);
/* The number of a text, added or of the model; -1: none. And the text of a number; NULL: none. */
int32_t kntok_id_of(const struct kntok_tokenizer *t, const char *text, size_t n);
const char *kntok_text_of(const struct kntok_tokenizer *t, int32_t id, size_t *n, bool *special);

/* ---- Models. */

enum kntok_model { KNTOK_BPE, KNTOK_WORDPIECE, KNTOK_WORDLEVEL, KNTOK_UNIGRAM };
void kntok_bpe(kntok_work *w, const kntok_piece *p, int32_t word);
void kntok_wordpiece(kntok_work *w, const kntok_piece *p, int32_t word);
void kntok_wordlevel(kntok_work *w, const kntok_piece *p, int32_t word);
void kntok_unigram(kntok_work *w, const kntok_piece *p, int32_t word);
/* A token of bytes from..to of a piece. */
void kntok_token_put(kntok_work *w, const kntok_piece *p, int32_t word, int32_t id, uint32_t from, uint32_t to);
bool kntok_grow(void *at, size_t *room, size_t need, size_t size); /* *at: memory for `need` elements */

typedef struct kntok_limits { /* truncation and padding; 0: as it stands here */
    bool truncate, pad, left, pad_left;
    int strategy; /* longest first, only first, only second */
    int64_t max_length, stride, fixed, multiple; /* fixed -1: as long as it is */
    int32_t pad_id, pad_type;
} kntok_limits;

typedef struct kntok_tokenizer {
    enum kntok_model model;
    kntok_vocab vocab;
    kntok_pairs merges;
    int32_t byte_id[256]; /* of single bytes, where `bytes` */
    bool bytes;           /* pieces are bytes, and so are the texts of `raw`: ByteLevel without its characters */
    kntok_map raw;
    bool whole_first; /* a piece that is a token is that token */
    char *unk, *prefix, *suffix;
    size_t n_unk, n_prefix, n_suffix;
    int32_t unk_id; /* -1: none */
    bool fuse_unk, byte_fallback;
    int32_t fallback[256]; /* of <0x00>; -1: none */
    int64_t max_chars;     /* of a word, WordPiece */
    double *score, least;  /* of Unigram */
    bool single;           /* sums of scores are float, as sentencepiece's */
    kntok_trie trie;
    kntok_steps normalizers, pretokenizers, processors, decoders;
    bool has_decoder, has_processor, trims;
    kntok_limits limits;
    kntok_added *added;
    size_t n_added;
    kntok_trie added_trie[2]; /* [1]: of normalized texts */
    kntok_map added_map;      /* places in `added` by text */
    int32_t *added_by_id;     /* sorted: id, place */
    uint8_t *lead, *trail;    /* blanks of each token, where `trims` */
    bool encode_special;      /* special tokens in a text are not seen */
    bool tiktoken;            /* texts of tokens are bytes as they stand */
    pthread_mutex_t lock;
    kntok_work *free;
} kntok_tokenizer;

/* ---- From text to encoding (encode.c, process.c). */

kntok_work *kntok_work_take(kntok_tokenizer *t);
void kntok_work_give(kntok_tokenizer *t, kntok_work *w);
void kntok_work_free(kntok_work *w);
/* An error of a text; empty: no memory. Threads that are no Kiln context's write it, and the caller tells it. */
typedef struct kntok_message {
    char text[256];
} kntok_message;
bool kntok_say(kntok_message *m, const char *format, ...) KN_PRINTF_LIKE(2, 3); /* false */
/* A text or two to encode. */
typedef struct kntok_job {
    const char *text, *pair;
    size_t n, pair_n;
    kntok_limits limits;
    bool plain, bytes, in_batch;
} kntok_job;
bool kntok_encode_job(kntok_tokenizer *t, const kntok_job *job, kntok_encoding *out, kntok_message *message);
bool kntok_encode_work(kntok_tokenizer *t, kntok_work *const w[2], const kntok_job *job, kntok_encoding *out,
                       kntok_message *message);
/* In several threads; false with an error, and what was made has to be freed. */
bool kntok_encode_all(const char *op, kntok_tokenizer *t, kntok_job *job, size_t n, int threads, kntok_encoding *out);
kn_tree kntok_batch(const char *op, kntok_tokenizer *t, kntok_job *job, size_t n, const kn_tokenizer_batch_opts *o);
size_t kntok_round(size_t n, int64_t multiple);
/* The tokens of a text, w->out: offsets in bytes of w->text. */
bool kntok_encode_text(kntok_work *w, const char *text, size_t n, int type, kntok_message *message);
void kntok_to_characters(kntok_work *w, const char *text, size_t n, bool bytes);
/* One text or two, cut, with special tokens; the encodings' memory goes over. */
bool kntok_process(const kntok_tokenizer *t, const kntok_limits *limits, bool special, kntok_encoding *one,
                   kntok_encoding *two, kntok_encoding *out, kntok_message *message);
void kntok_pad(kntok_encoding *e, size_t n, const kntok_limits *limits);
bool kntok_encoding_put(kntok_encoding *e, const kntok_token *t);
void kntok_encoding_free(kntok_encoding *e);

/* ---- Back (decode.c). */

typedef struct kntok_texts {
    knbeside_bytes bytes;
    struct {
        size_t at, n;
    } * of;
    size_t n, room;
    bool failed;
} kntok_texts;
int kntok_decode(const char *op, const kntok_tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                 knbeside_bytes *out);

/* ---- Files. */

int kntok_read_json(const char *op, kntok_tokenizer *t, const char *bytes, size_t n, const kn_tokenizer_load_opts *o);
/* tiktoken's table: lines of base64 and rank; and what follows from a vocabulary of bytes. */
int kntok_read_ranks(const char *op, kntok_tokenizer *t, const char *bytes, size_t n, const char *pattern);
int kntok_read_sentencepiece(const char *op, kntok_tokenizer *t, const uint8_t *bytes, size_t n);
/* Merges of all ways to put a token together; rank[id] of each, or the number itself. */
int kntok_all_merges(const char *op, kntok_tokenizer *t, const uint32_t *rank);
bool kntok_decode64(const char *s, size_t n, knbeside_bytes *to);
/* What the parts have in common is worked out when all are read. */
int kntok_finish(const char *op, kntok_tokenizer *t);
void kntok_free(kntok_tokenizer *t);
#endif
