/* SPDX-License-Identifier: Apache-2.0
 * test_tokenizer.c -- tokenizers of each kind beside what PyPI's tokenizers makes of the same texts, and what is refused. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <kiln/models.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

REMOVE_FOLDER("a.tiktoken", "encoder.json", "vocab.bpe")

#include "tokenizer_cases.h"

#if KN_HAVE_TEXT

static kn_tokenizer parse(const char *json) { return kn_tokenizer_parse(json, strlen(json), NULL); }

static void expect_tokens(const char *name, const kn_tokens *t, const expected *e)
{
    assert_non_null(t);
    if (t->n != e->n)
        fail_msg("%s, \"%s\": %lld tokens, not %d", name, e->text, (long long)t->n, e->n);
    for (int i = 0; i < e->n; i++) {
        const token *k = &e->of[i];
        if (t->ids[i] != k->id || t->from[i] != k->from || t->to[i] != k->to || t->words[i] != k->word ||
            t->special[i] != k->special || t->mask[i] != k->mask)
            fail_msg("%s, \"%s\", token %d: {%d, %lld, %lld, %d, %d, %d}, not {%d, %lld, %lld, %d, %d, %d}", name,
                     e->text, i, t->ids[i], (long long)t->from[i], (long long)t->to[i], t->words[i], t->special[i],
                     t->mask[i], k->id, (long long)k->from, (long long)k->to, k->word, k->special, k->mask);
    }
    assert_int_equal(t->overflow_count, e->overflow);
}

static void tokens_are_the_references(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        KN_SCOPE;
        kn_tokenizer t = parse(kinds[k].json);
        if (!t)
            fail_msg("%s: %s", kinds[k].name, kn_error_message());
        for (int i = 0; i < TEXTS; i++) {
            const expected *e = &kinds[k].texts[i];
            const kn_tokens *got = kn_tokenizer_tokens(t, e->text);
            expect_tokens(kinds[k].name, got, e);
            kn_array ids = kn_from_memory(got->ids, &(kn_shape){1, {got->n}}, KN_I32);
            assert_string_equal(kn_tokenizer_decode(t, ids, .skip_special = true), e->back);
        }
    }
}

static void a_batch_is_what_its_texts_are(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        KN_SCOPE;
        const char *texts[200];
        kn_tokenizer t = parse(kinds[k].json);
        for (int i = 0; i < 200; i++)
            texts[i] = kinds[k].texts[i % TEXTS].text;
        kn_tokenizer_batch_opts o = kn_tokenizer_batch_opts_default();
        o.threads = 3;
        const kn_tokens *many = kn_tokenizer_tokens_batch(t, texts, 200, &o);
        assert_non_null(many);
        for (int i = 0; i < 200 && strcmp(kinds[k].name, "roberta"); i++) /* which fills single rows */
            expect_tokens(kinds[k].name, &many[i], &kinds[k].texts[i % TEXTS]);
    }
}

static void rows_are_filled(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *texts[] = {"the cat", "sat"};
    kn_tokenizer_batch_opts o = kn_tokenizer_batch_opts_default();
    o.pad_id = 13;
    kn_tree t = kn_tokenizer_batch(parse(bert_json), texts, 2, &o);
    expect_values(kn_tree_get(t, 1), 1, 3, 4, 2, 1, 6, 2, 13); /* leaves are sorted by name */
    expect_values(kn_tree_get(t, 0), 1, 1, 1, 1, 1, 1, 1, 0);
    o.left = true;
    o.multiple = 5;
    t = kn_tokenizer_batch(parse(bert_json), texts, 2, &o);
    expect_values(kn_tree_get(t, 1), 13, 1, 3, 4, 2, 13, 13, 1, 6, 2);
}

static void two_texts_have_types(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_tokens *k = kn_tokenizer_tokens(parse(bert_json), "the", .pair = "cat");
    const int32_t ids[] = {1, 3, 2, 4, 2}, types[] = {0, 0, 0, 1, 1}, sequence[] = {-1, 0, -1, 1, -1};
    assert_int_equal(k->n, 5);
    assert_memory_equal(k->ids, ids, sizeof ids);
    assert_memory_equal(k->types, types, sizeof types);
    assert_memory_equal(k->sequence, sequence, sizeof sequence);
}

static void lengths_are_cut(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tokenizer t = parse(bert_json);
    expect_values(kn_tokenizer_encode(t, "the cat sat", .max_length = 4), 1, 3, 4, 2);
    expect_values(kn_tokenizer_encode(t, "the cat sat", .max_length = 4, .left = true), 1, 4, 6, 2);
    expect_values(kn_tokenizer_encode(t, "the cat sat", .plain = true), 3, 4, 6);
    const kn_tokens *k = kn_tokenizer_tokens(t, "the cat sat", .max_length = 4, .stride = 1);
    assert_int_equal(k->overflow_count, 1);
    assert_int_equal(kn_tokenizer_encode(t, "the cat", .max_length = 1) != NULL, 1);
    expect_error("ValueError", "tokenizer_encode: a length of 1, but there are 2 special tokens");
    (void)kn_tokenizer_tokens(t, "the cat sat", .max_length = 3, .stride = 1);
    expect_error("ValueError", "tokenizer_tokens: a stride of 1, but only 1 tokens are left for the text");
}

/* As the reference has it: a stride matters where something is cut, and a fixed length of 0 fills nothing. */
static void strides_and_lengths_are_the_references(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_tokens *k =
        kn_tokenizer_tokens(parse(bert_json), "the cat sat the", .pair = "", .max_length = 6, .stride = 2);
    expect_no_error();
    assert_int_equal(k->n, 6); /* [CLS] the cat sat [SEP] [SEP] */
    assert_int_equal(k->overflow_count, 1);
    k = kn_tokenizer_tokens(
        parse("{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", \"vocab\": {\"?\": 0, \"a\": 1}},"
              "\"pre_tokenizer\": {\"type\": \"Whitespace\"}, \"truncation\": {\"max_length\": 2, \"strategy\":"
              "\"LongestFirst\", \"stride\": 0}, \"padding\": {\"strategy\": {\"Fixed\": 0}, \"direction\": \"Right\","
              "\"pad_to_multiple_of\": 4, \"pad_id\": 0, \"pad_type_id\": 0, \"pad_token\": \"?\"}}"),
        "a a a");
    assert_int_equal(k->n, 2);
    assert_int_equal(k->overflow[0].n, 1);
}

static void tokens_are_added_as_a_whole_or_not(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_added_token bad[] = {{.text = "<a>", .id = -1}, {.text = "\xff", .id = -1}};
    const kn_added_token last[] = {{.text = "<b>", .id = INT32_MAX - 1}, {.text = "<c>", .id = -1}};
    kn_tokenizer t = parse(words_json);
    int64_t n = kn_tokenizer_size(t);
    assert_int_equal(kn_tokenizer_add(t, bad, 2), -1);
    expect_error("ValueError", "tokenizer_add: an added token is not UTF-8");
    assert_int_equal(kn_tokenizer_size(t), n);
    assert_null(kn_tokenizer_token(t, 1000)); /* looks among those that were added */
    assert_int_equal(kn_tokenizer_add(t, last, 1), 0);
    assert_int_equal(kn_tokenizer_add(t, last + 1, 1), -1);
    expect_error("ValueError", "tokenizer_add: no number is left for the added token \"<c>\"");
    assert_string_equal(kn_tokenizer_token(t, INT32_MAX - 1), "<b>");
}

static void offsets_count_bytes_of_what_was_given(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tokenizer t = parse(words_json);
    const kn_tokens *k = kn_tokenizer_tokens(t, "caf\xc3\xa9 cat \xff the", .byte_offsets = true);
    assert_int_equal(k->n, 4);
    assert_int_equal(k->ids[2], 0); /* the broken byte */
    assert_int_equal(k->to[0], 5);
    assert_int_equal(k->from[1], 6);
    assert_int_equal(k->from[2], 10);
    assert_int_equal(k->to[2], 11);
    assert_int_equal(k->from[3], 12);
    k = kn_tokenizer_tokens(t, "caf\xc3\xa9 cat \xff the");
    assert_int_equal(k->from[2], 9);
    assert_int_equal(k->to[2], 10);
}

static void a_stream_keeps_broken_characters_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tokenizer t = parse(llama_json);
    const kn_tokens *k = kn_tokenizer_tokens(t, "t\xe4\xbd\xa0");
    kn_token_stream s = kn_tokenizer_stream(t);
    char all[32] = "";
    for (int64_t i = 0; i < k->n; i++) {
        const char *more = kn_token_stream_next(s, k->ids[i]);
        assert_non_null(more);
        assert_true(!*more || strncmp(more, "\xe4", 1) || strlen(more) == 3);
        strcat(all, more);
    }
    assert_string_equal(all, "t\xe4\xbd\xa0");
    assert_string_equal(kn_token_stream_end(s), "");
    assert_string_equal(kn_token_stream_next(s, k->ids[k->n - 2]), "");
    assert_string_equal(kn_token_stream_end(s), "\xef\xbf\xbd");
    assert_string_equal(kn_token_stream_end(s), "");
}

/* Its reader of numbers is not exact, and the last bit of a sum decides: the nearest numbers would give 1, 2, 2, 1. */
static void scores_are_what_the_reference_reads(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tokenizer t = parse(
        "{\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"?\", 0], [\".\", -4.2277601807333145], "
        "[\"...\", -7.7155606321281915]]}}");
    expect_values(kn_tokenizer_encode(t, "........"), 1, 1, 2, 2);
}

/* ---- Tables of byte pairs. */

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_ranks(FILE *f, const char *const *more)
{
    for (int i = 0; i < 256; i++)
        fprintf(f, "%c%c== %d\n", digits64[i >> 2], digits64[(i & 3) << 4], i);
    for (int i = 0; more[i]; i++)
        fprintf(f, "%s %d\n", more[i], 256 + i);
    fclose(f);
}

static void a_table_of_ranks_is_read(void **state)
{
    (void)state;
    KN_SCOPE;
    write_ranks(fopen(path_of("a.tiktoken"), "wb"),
                (const char *[]){"YWI=" /* ab */, "YmM=" /* bc */, "IGE=" /* " a" */, NULL});
    const kn_added_token end = {.text = "<end>", .id = 300, .special = true};
    kn_tokenizer t = kn_tokenizer_load(path_of("a.tiktoken"), .pattern = "gpt2", .added = &end, .added_count = 1);
    expect_values(kn_tokenizer_encode(t, "abc a<end>"), 256, 'c', 258, 300);
    assert_int_equal(kn_tokenizer_size(t), 260);
    assert_int_equal(kn_tokenizer_id(t, "bc"), 257);
    assert_int_equal(kn_tokenizer_id(t, "zz"), -1);
    assert_string_equal(kn_tokenizer_token(t, 300), "<end>");
    assert_null(kn_tokenizer_token(t, 299));
    expect_no_error();
    assert_null(kn_tokenizer_load(path_of("a.tiktoken")));
    expect_error("ValueError", "tokenizer_load: a table of byte pairs does not say how texts are split: give .pattern");
}

static void the_first_of_two_published_tables_of_gpt2_is_read(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = fopen(path_of("encoder.json"), "wb");
    fputs("{\"a\": 0, \"b\": 1, \"ab\": 2, \"<|endoftext|>\": 3}", f);
    fclose(f);
    f = fopen(path_of("vocab.bpe"), "wb");
    fputs("#version: 0.2\na b\n", f);
    fclose(f);
    kn_tokenizer t = kn_tokenizer_load(path_of("encoder.json"), .merges = path_of("vocab.bpe"));
    expect_values(kn_tokenizer_encode(t, "aab<|endoftext|>"), 0, 2, 3);
}

/* Long pieces are not quadratic: a hundred thousand letters take no time. */
static void a_long_word_is_merged(void **state)
{
    (void)state;
    KN_SCOPE;
    write_ranks(fopen(path_of("a.tiktoken"), "wb"), (const char *[]){"YWE=" /* aa */, "YWFhYQ==" /* aaaa */, NULL});
    kn_tokenizer t = kn_tokenizer_load(path_of("a.tiktoken"), .pattern = "o200k");
    char *text = malloc(100001);
    memset(text, 'a', 100000);
    text[100000] = '\0';
    assert_int_equal(kn_size(kn_tokenizer_encode(t, text)), 25000);
    free(text);
}

/* What is split by hand is what PCRE2 makes of the same pattern, which "(?:" keeps from being recognised. */
static void published_patterns_are_what_pcre_makes_of_them(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char cl100k[] =
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
        "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    static const char gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    static const char o200k[] =
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
        "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*"
        "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    static const char *const parts[] = {
        "a",      "B",      "'",      "s",      "LL",     "1",      " ",      "\n",     "\r", "\t",     "/",
        "\u0301", "\u01c5", "\u4e00", "\u02b0", "\u00b2", "\u00a0", "\u2028", "\u0660", "!",  "\u017f", "\U00010d50"};
    const struct {
        const char *name, *text;
    } both[] = {{"gpt2", gpt2}, {"cl100k", cl100k}, {"o200k", o200k}};
    write_ranks(fopen(path_of("a.tiktoken"), "wb"), (const char *[]){"YWI=", "ICA=" /* two blanks */, "CiA=",
                                                                     "ICc=" /* " '" */, "YSc=", "J3M=", "MTE=", NULL});
    uint32_t seed = 1;
    for (int k = 0; k < 3; k++) {
        char longer[600];
        snprintf(longer, sizeof longer, "(?:%s)", both[k].text);
        kn_tokenizer hand = kn_tokenizer_load(path_of("a.tiktoken"), .pattern = both[k].name),
                     pcre = kn_tokenizer_load(path_of("a.tiktoken"), .pattern = longer);
        for (int i = 0; i < 3000; i++) {
            KN_SCOPE;
            char text[200] = "";
            for (int j = 0; j < 12; j++) {
                seed = seed * 1664525 + 1013904223;
                strcat(text, parts[(seed >> 16) % (sizeof parts / sizeof *parts)]);
            }
            const kn_tokens *a = kn_tokenizer_tokens(hand, text), *b = kn_tokenizer_tokens(pcre, text);
            if (a->n != b->n || memcmp(a->words, b->words, (size_t)a->n * sizeof *a->words))
                fail_msg("%s splits \"%s\" otherwise", both[k].name, text);
        }
    }
}

/* ---- What is refused. */

static void damaged_files_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        const char *json, *part;
    } bad[] = {
        {"{", "no JSON"},
        {"{\"model\": 1}", "\"model\" is of another type"},
        {"{\"model\": {\"type\": \"X\"}}", "\"type\" has a value that is not known"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 1, \"a\": 2}, \"merges\": []}}", "duplicate"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": -1}, \"merges\": []}}", "\"a\" has no number"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 99999999}, \"merges\": []}}",
         "one of them has the number 99999999"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a b\"]}}",
         "merge 0 has a token that is not in the vocabulary"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a a\"]}}",
         "merge 0 makes a token that is not"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [7]}}", "merge 0 is no pair"},
        {"{\"model\": {\"type\": \"BPE\", \"dropout\": 0.1, \"vocab\": {}, \"merges\": []}}", "dropout"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\"]]}}", "an entry that is no text and score"},
        {"{\"model\": {\"type\": \"Unigram\", \"unk_id\": 4, \"vocab\": [[\"a\", 0]]}}",
         "\"unk_id\" is no integer in its range"},
        {"{\"model\": {\"vocab\": {}, \"unk_token\": \"a\"}, \"normalizer\": {\"type\": \"Y\"}}",
         "of type \"Y\" is not known"},
        {"{\"model\": {\"vocab\": {}, \"unk_token\": \"a\"}, \"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": "
         "{\"Regex\": \"(\"}, "
         "\"behavior\": \"Isolated\", \"invert\": false}}",
         "missing closing parenthesis"},
        {"{\"model\": {\"vocab\": {}, \"unk_token\": \"a\"}, \"version\": \"2.0\"}", "another one than 1.0"},
        {"", "is empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(parse(bad[i].json));
        expect_error_with(strstr(bad[i].part, "known") && strstr(bad[i].part, "of type") ? "NotImplementedError"
                          : !strcmp(bad[i].part, "dropout")                              ? "NotImplementedError"
                                                                                         : "ValueError",
                          bad[i].part);
    }
    assert_null(kn_tokenizer_load("nothing.json"));
    expect_error_with("FileError", "nothing.json");
}

static void what_the_vocabulary_cannot_say_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tokenizer t = parse("{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}, \"unk_token\": \"?\"}}");
    kn_tokenizer_encode(t, "b");
    expect_error("ValueError",
                 "tokenizer_encode: the text \"b\": the token for what is unknown is not in the vocabulary");
    const char *texts[] = {"a", "b"};
    assert_null(kn_tokenizer_batch(t, texts, 2, NULL));
    expect_error("ValueError",
                 "tokenizer_batch: the text \"b\": the token for what is unknown is not in the vocabulary");
    kn_tokenizer_encode(NULL, "a");
    expect_error("TypeError", "tokenizer_encode: null tokenizer");
    kn_tokenizer_encode(t, NULL);
    expect_error("TypeError", "tokenizer_encode: null text");
}

#else

static void tokenizers_need_their_libraries(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_tokenizer_parse("{}", 2, NULL));
    expect_error_with("NotImplementedError", "without jansson, PCRE2 and utf8proc");
}

#endif

KN_TEST_GROUP(test_tokenizer)
{
    const struct CMUnitTest tests[] = {
#if KN_HAVE_TEXT
        TEST(tokens_are_the_references),
        TEST(a_batch_is_what_its_texts_are),
        TEST(rows_are_filled),
        TEST(two_texts_have_types),
        TEST(lengths_are_cut),
        TEST(strides_and_lengths_are_the_references),
        TEST(tokens_are_added_as_a_whole_or_not),
        TEST(offsets_count_bytes_of_what_was_given),
        TEST(a_stream_keeps_broken_characters_back),
        TEST(scores_are_what_the_reference_reads),
        TEST(a_table_of_ranks_is_read),
        TEST(the_first_of_two_published_tables_of_gpt2_is_read),
        TEST(a_long_word_is_merged),
        TEST(published_patterns_are_what_pcre_makes_of_them),
        TEST(damaged_files_are_errors),
        TEST(what_the_vocabulary_cannot_say_is_an_error),
#else
        TEST(tokenizers_need_their_libraries),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
