/* SPDX-License-Identifier: Apache-2.0
 * readers.c -- everything that reads bytes or texts from outside, with mutations of good inputs. None crashes, hangs or
 * leaks (the sanitizers tell), and what is accepted is written and read again and is the same.
 *
 * usage: readers [--count N] [--seed S] [--seconds T] [READER...]
 * N inputs for each reader (20,000; a million with KILN_TEST_LONG=1), or as many as T seconds allow. A failure shows
 * the reader, the seed and the input; `--seed S --count 1` runs it again. */
#include "readers.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;

static uint32_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

uint32_t readers_below(uint32_t n) { return n ? draw() % n : 0; }

/* ---- Mutations. */

static void put(readers_input *in, size_t at, size_t drop, const void *bytes, size_t n)
{
    at = at > in->n ? in->n : at;
    drop = drop > in->n - at ? in->n - at : drop;
    if (in->n - drop + n > READERS_ROOM)
        return;
    memmove(in->bytes + at + n, in->bytes + at + drop, in->n - at - drop);
    memcpy(in->bytes + at, bytes, n);
    in->n = in->n - drop + n;
}

static void mutate_once(readers_input *in, const reader *r)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "255",
                                          "65535",
                                          "1e5",
                                          "nan",
                                          "2147483648",
                                          "4294967295",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "1e400",
                                          "0x1p-3"};
    size_t at = readers_below((uint32_t)in->n + 1), n = 1 + readers_below(8);
    char byte = (char)draw(), copy[64];
    switch (readers_below(9)) {
    case 0: put(in, at, 1, &byte, 1); break;
    case 1: put(in, at, 0, &byte, 1); break;
    case 2: put(in, at, n, "", 0); break;
    case 3: /* a piece once more, elsewhere */
        n = at + n > in->n ? in->n - at : n;
        memcpy(copy, in->bytes + at, n);
        put(in, readers_below((uint32_t)in->n + 1), 0, copy, n);
        break;
    case 4:
        if (in->n)
            in->bytes[at % in->n] ^= (char)(1 << readers_below(8));
        break;
    case 5: in->n = at; break;
    case 6: {
        const char *s = numbers[readers_below(sizeof numbers / sizeof *numbers)];
        put(in, at, readers_below(2) ? n : 0, s, strlen(s));
        break;
    }
    case 7: {
        const char *s = r->words[readers_below((uint32_t)r->n_words)];
        put(in, at, readers_below(2) ? strlen(s) : 0, s, strlen(s));
        break;
    }
    default: /* the end of another good input */
    {
        const readers_input *other = &r->good[readers_below((uint32_t)r->n_good)];
        size_t from = readers_below((uint32_t)other->n + 1);
        put(in, at, in->n, other->bytes + from, other->n - from);
    }
    }
}

static void make_input(readers_input *in, const reader *r)
{
    const readers_input *good = &r->good[readers_below((uint32_t)r->n_good)];
    in->n = good->n;
    memcpy(in->bytes, good->bytes, good->n);
    for (uint32_t k = readers_below(6); k > 0; k--)
        mutate_once(in, r);
    in->bytes[in->n] = '\0';
}

/* ---- Running. */

static void show(const readers_input *in)
{
    for (size_t i = 0; i < in->n; i++)
        printf(in->bytes[i] >= ' ' && in->bytes[i] < 0x7f && in->bytes[i] != '\\' ? "%c" : "\\x%02x",
               (unsigned char)in->bytes[i]);
    printf("\n");
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(const reader *r, uint64_t seed, uint64_t count, double seconds)
{
    static readers_input in;
    uint64_t accepted = 0, done = 0;
    double end = now() + seconds;
    for (; done < count && (done % 64 || seconds <= 0 || now() < end); done++) {
        state = (seed + done) * 0x9e3779b97f4a7c15u + 1;
        draw();
        make_input(&in, r);
        kn_scope scope = kn_scope_begin();
        double start = now();
        const char *wrong = r->run(&in, &accepted);
        kn_error_clear();
        kn_scope_end(&scope);
        if (!wrong && now() - start > 10)
            wrong = "it takes longer than ten seconds";
        if (wrong) {
            printf("%s --seed %" PRIu64 " --count 1: %s\n", r->name, seed + done, wrong);
            show(&in);
            return 1;
        }
    }
    printf("%-12s %" PRIu64 " inputs, %" PRIu64 " accepted\n", r->name, done, accepted);
    return 0;
}

int main(int argc, char **argv)
{
    const char *longer = getenv("KILN_TEST_LONG");
    uint64_t count = longer && *longer ? 1000000 : 20000, seed = 1;
    double seconds = 0;
    int named = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--count") && i + 1 < argc)
            count = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
            seconds = strtod(argv[++i], NULL), count = UINT64_MAX;
        else
            argv[++named] = argv[i];
    }
    readers_begin();
    for (const reader *r = readers; r->name; r++) {
        bool wanted = !named;
        for (int i = 1; i <= named; i++)
            wanted |= !strcmp(argv[i], r->name);
        failed |= wanted && run(r, seed, count, seconds);
    }
    readers_end();
    kn_shutdown();
    return failed;
}
