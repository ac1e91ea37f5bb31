/* SPDX-License-Identifier: Apache-2.0
 * encode.c -- encodes the lines of a file and writes what a referee compares: for each line the number of its
 * tokens, and for each token its id, where it begins and where it ends, all as 32 bit numbers. Lines end with a zero
 * byte.
 * usage: encode TOKENIZER TEXTS OUT [pattern] [threads]; with threads, seconds are printed: that passed, of the
 * processor, to load. */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *n = (size_t)ftell(f);
    rewind(f);
    char *s = malloc(*n + 1);
    if (!s || fread(s, 1, *n, f) != *n)
        return NULL;
    s[*n] = '\0';
    fclose(f);
    return s;
}

static void write_tokens(FILE *out, const kn_tokens *t)
{
    int32_t n = (int32_t)t->n;
    fwrite(&n, 4, 1, out);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t v[3] = {t->ids[i], (int32_t)t->from[i], (int32_t)t->to[i]};
        fwrite(v, 4, 3, out);
    }
}

/* All lines as a batch, several thousand at a time. */
static double batches(kn_tokenizer t, const char **line, int64_t n, int threads)
{
    double begin = now();
    kn_tokenizer_batch_opts o = kn_tokenizer_batch_opts_default();
    o.threads = threads;
    for (int64_t i = 0; i < n; i += 4096) {
        KN_SCOPE;
        if (!kn_tokenizer_tokens_batch(t, line + i, n - i < 4096 ? n - i : 4096, &o))
            exit(1);
    }
    return now() - begin;
}

static void write_all(kn_tokenizer t, const char *path, const char **line, int64_t lines)
{
    FILE *out = fopen(path, "wb");
    double begin = now();
    for (int64_t i = 0; i < lines && out; i++) {
        KN_SCOPE;
        const kn_tokens *k = kn_tokenizer_tokens(t, line[i]);
        if (!k) {
            fprintf(stderr, "line %lld: %s\n", (long long)i, kn_error_message());
            exit(1);
        }
        write_tokens(out, k);
    }
    printf("%lld lines in %.3f s\n", (long long)lines, now() - begin);
    if (!out || fclose(out))
        exit(1);
}

int main(int argc, char **argv)
{
    size_t n = 0;
    if (argc < 4)
        return 2;
    char *text = read_all(argv[2], &n);
    KN_SCOPE;
    double begin = now();
    kn_tokenizer_load_opts o = kn_tokenizer_load_opts_default();
    o.pattern = argc > 4 && argv[4][0] ? argv[4] : NULL;
    o.merges = getenv("MERGES");
    kn_tokenizer t = (kn_tokenizer_load)(argv[1], &o);
    double loaded = now() - begin;
    int64_t lines = 0;
    if (!text || !t) {
        fprintf(stderr, "%s\n", kn_error_message());
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        lines += !text[i];
    const char **line = malloc((size_t)(lines + 1) * sizeof *line);
    lines = 0;
    for (size_t i = 0; i < n; i += strlen(text + i) + 1)
        line[lines++] = text + i;
    if (argc > 5) {
        double cpu = processor(), seconds = batches(t, line, lines, atoi(argv[5]));
        printf("%.3f %.3f %.3f\n", seconds, processor() - cpu, loaded);
    } else {
        write_all(t, argv[3], line, lines);
    }
    free(line);
    free(text);
    return 0;
}
