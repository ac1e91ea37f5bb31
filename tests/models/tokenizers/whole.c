/* SPDX-License-Identifier: Apache-2.0
 * whole.c -- everything that a tokenizer says of lines of text, for a referee: tokens with all that is known of
 * them, what truncation cut off, the text that comes back at once and bit by bit. Lines end with a zero byte.
 * usage: whole TOKENIZER TEXTS OUT [pairs] */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <stdlib.h>
#include <string.h>

static void put(FILE *out, int32_t v) { fwrite(&v, 4, 1, out); }

static void put_text(FILE *out, const char *s)
{
    put(out, (int32_t)strlen(s));
    fwrite(s, 1, strlen(s), out);
}

static void put_tokens(FILE *out, const kn_tokens *t)
{
    put(out, (int32_t)t->n);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t v[7] = {t->ids[i],   (int32_t)t->from[i], (int32_t)t->to[i], t->types[i],
                              t->words[i], t->special[i],       t->mask[i]};
        fwrite(v, 4, 7, out);
    }
    put(out, (int32_t)t->overflow_count);
    for (int64_t i = 0; i < t->overflow_count; i++)
        put_tokens(out, &t->overflow[i]);
}

/* The text of the tokens one by one. */
static void put_stream(FILE *out, kn_tokenizer t, const kn_tokens *k)
{
    kn_token_stream s = kn_tokenizer_stream(t, .skip_special = true);
    char *all = calloc(1, 1 << 20);
    size_t n = 0;
    for (int64_t i = 0; i < k->n; i++) {
        const char *more = kn_token_stream_next(s, k->ids[i]);
        if (!more || n + strlen(more) >= (1 << 20) - 1)
            exit(1);
        strcpy(all + n, more);
        n += strlen(more);
    }
    put_text(out, all);
    free(all);
}

static void put_line(FILE *out, kn_tokenizer t, const char *text, const char *pair)
{
    KN_SCOPE;
    const kn_tokens *k = kn_tokenizer_tokens(t, text, .pair = pair);
    if (!k) {
        put(out, -1);
        put_text(out, kn_error_message());
        kn_error_clear();
        return;
    }
    put_tokens(out, k);
    kn_array ids = kn_from_memory(k->ids, &(kn_shape){1, {k->n}}, KN_I32);
    put_text(out, kn_tokenizer_decode(t, ids, .skip_special = true));
    put_text(out, kn_tokenizer_decode(t, ids));
    put_stream(out, t, k);
}

int main(int argc, char **argv)
{
    static char text[2][1 << 16];
    KN_SCOPE;
    kn_tokenizer t = argc > 3 ? kn_tokenizer_load(argv[1]) : NULL;
    FILE *in = t ? fopen(argv[2], "rb") : NULL, *out = in ? fopen(argv[3], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "%s\n", argc > 3 ? kn_error_message() : "usage: whole TOKENIZER TEXTS OUT [pairs]");
        return 1;
    }
    int k = 0, c;
    for (size_t n = 0; (c = getc(in)) != EOF;) {
        if (n < sizeof text[0] - 1)
            text[k][n++] = (char)c;
        if (c)
            continue;
        if (argc < 5 || k == 1)
            put_line(out, t, text[0], argc < 5 ? NULL : text[1]);
        k = argc > 4 ? !k : 0;
        n = 0;
    }
    fclose(in);
    return fclose(out) ? 1 : 0;
}
