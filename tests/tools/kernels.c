/* SPDX-License-Identifier: Apache-2.0
 * kernels.c -- kernels from files (KILN_DUMP_KERNELS) through every backend.
 *
 *     kernels [--c N] FILE|FOLDER...    compares the bits of all backends on 1, 2, 3 and 7 threads with the interpreter's
 *     kernels --made FILE|FOLDER...     the same, and no launch may be left to the interpreter
 *     kernels --time [FILE...]          nanoseconds of machine code and of C through the compiler
 *     kernels --guard FILE|FOLDER...    the same bits with every buffer beside pages without access
 *     kernels --select TO FILE...       copies the smallest kernels that cover what there is
 *
 * With --c only every so many kernels go through C, N at most: the compiler takes some 30 ms for each. A kernel that
 * fails is copied to kernels-failed/ with its seed. */
#include "tools/kernels.h"
#include "base/memory.h"
#include "host/drive.h"
#include "support/c_maker.h"
#include "support/scratch.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { CHUNK = 64, SEEDS = 2 };
static const double MOST_POINTS = 100e3;

char *tool_read(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        long n = ftell(f);
        rewind(f);
        if (n >= 0 && (text = malloc((size_t)n + 1)))
            text[fread(text, 1, (size_t)n, f)] = 0;
    }
    if (f)
        fclose(f);
    if (!text)
        fprintf(stderr, "%s cannot be read\n", path);
    return text;
}

double tool_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *tool_scratch(const knk_kernel *k, int threads)
{
    knx_buffer *b = knx_buffer_new(any_scratch(k, threads) + 64);
    if (!b)
        abort();
    return b;
}

/* Those of the build that work here, and the C source, which not all chunks of files go through. */
enum { C_SOURCE, MOST = 8 };
static const knh_generator *generator[MOST]; /* C_SOURCE: NULL: not now */
static int n_generator;

static void find_generators(void)
{
    const knh_generator *g;
    n_generator = C_SOURCE + 1;
    for (int i = 0; (g = knh_generator_number(i)) && n_generator < MOST; i++)
        if (g->make && knh_generator_works(g))
            generator[n_generator++] = g;
}

typedef struct totals {
    int files, wrong_files, skipped;
    int64_t words[MOST], differences[MOST];
    uint64_t fallbacks[MOST];
    const char *fell_back[MOST]; /* the last one that did */
} totals;

static void keep_failed(const char *path, const char *text, uint64_t seed, const char *why)
{
    const char *base = strrchr(path, '/');
    char to[4200];
    (void)mkdir("kernels-failed", 0777);
    snprintf(to, sizeof to, "kernels-failed/%s", base ? base + 1 : path);
    FILE *f = fopen(to, "w");
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
    fprintf(stderr, "%s: %s (seed %llu); kept as %s\n", path, why, (unsigned long long)seed, to);
}

bool tool_open(const char *path, const char *text, double most_points, kernel_case *c)
{
    knx_error *e = kernel_case_parse(text, c);
    if (!e) {
        kernel_case_shrink(c, most_points);
        return true;
    }
    fprintf(stderr, "%s: %s\n", path, e->message);
    knx_error_release(e);
    return false;
}

/* Runs on a copy of the data and compares; the difference in `why`. */
static int64_t differences(kernel_case *c, const kernel_data *start, const kernel_data *want, int which, int threads,
                           totals *t, char *why, size_t room)
{
    kernel_data *got = kernel_data_copy(c, start);
    knx_buffer *scratch = tool_scratch(c->k, threads);
    char where[160] = "";
    if (!got)
        abort();
    knk_launch l = c->l;
    l.buffer = got->base;
    uint64_t before = knh_count().fallbacks;
    knh_tune.turns = threads; /* loops ask whether to go on, as long ones do */
    knh_run_on(generator[which], c->k, &l, scratch->data, threads);
    knh_tune.turns = 0;
    t->fallbacks[which] += knh_count().fallbacks - before;
    int64_t n = kernel_data_differences(c, got, want, &t->words[which], where, sizeof where);
    if (n)
        snprintf(why, room, "%s, %d threads: %s", generator[which]->name, threads, where);
    t->differences[which] += n;
    kernel_data_free(got);
    knx_buffer_release(scratch);
    return n;
}

static bool check_seed(const char *path, const char *text, kernel_case *c, uint64_t seed, bool quick, totals *t)
{
    static const int threads[] = {1, 2, 3, 7};
    kernel_data *start = kernel_data_new(c, seed), *want = start ? kernel_data_copy(c, start) : NULL;
    if (!want) {
        kernel_data_free(start);
        t->skipped++;
        return true;
    }
    knx_buffer *scratch = tool_scratch(c->k, 1);
    knk_launch l = c->l;
    l.buffer = want->base;
    knk_interpret(c->k, &l, scratch->data);
    knx_buffer_release(scratch);
    bool fine = true;
    char why[256];
    for (int b = 0; b < n_generator && fine; b++)
        for (int i = 0; i < (quick ? 1 : 4) && fine; i++)
            if (generator[b] && differences(c, start, want, b, threads[i], t, why, sizeof why)) {
                keep_failed(path, text, seed, why);
                fine = false;
            }
    kernel_data_free(want);
    kernel_data_free(start);
    return fine;
}

/* Asks for the functions of a case without running anything. */
static void note(const char *path, const char *text)
{
    kernel_case c;
    totals ignored = {0};
    char why[256];
    if (!tool_open(path, text, MOST_POINTS, &c))
        return;
    kernel_data *d = kernel_data_new(&c, 0);
    if (d)
        differences(&c, d, d, C_SOURCE, 1, &ignored, why, sizeof why);
    kernel_data_free(d);
    kernel_case_free(&c);
}

static void check_chunk(int n, char **path, bool compiler, totals *t)
{
    char *text[CHUNK] = {0};
    generator[C_SOURCE] = compiler ? c_maker_noting() : NULL;
    for (int i = 0; i < n; i++)
        if ((text[i] = tool_read(path[i])) && compiler)
            note(path[i], text[i]);
    if (compiler && !c_maker_compile(C_MAKER_QUICK))
        fprintf(stderr, "the compiler failed\n");
    generator[C_SOURCE] = compiler ? c_maker(NULL) : NULL;
    for (int i = 0; i < n; i++) {
        kernel_case c;
        t->files++;
        if (!text[i] || !tool_open(path[i], text[i], MOST_POINTS, &c)) {
            t->wrong_files++;
            continue;
        }
        bool fine = true;
        totals before = *t;
        for (uint64_t seed = 0; seed < SEEDS && fine; seed++)
            fine = check_seed(path[i], text[i], &c, seed, seed > 0, t);
        for (int b = 0; b < n_generator; b++)
            if (t->fallbacks[b] != before.fallbacks[b])
                t->fell_back[b] = path[i];
        t->wrong_files += !fine;
        kernel_case_free(&c);
        free(text[i]);
    }
    c_maker_forget();
}

static int check(int n, char **path, int most_c, bool made)
{
    totals t = {0};
    double start = tool_seconds();
    find_generators();
    int chunks = (n + CHUNK - 1) / CHUNK, most = (most_c + CHUNK - 1) / CHUNK;
    for (int i = 0, done = 0; i < chunks; i++) {
        int at = i * CHUNK;
        bool compiles = c_maker_works() && (int64_t)(i + 1) * most >= (int64_t)(done + 1) * chunks;
        done += compiles;
        check_chunk(n - at < CHUNK ? n - at : CHUNK, path + at, compiles, &t);
    }
    printf("%d kernels, %d wrong, %d without data that fits, %.1f s\n", t.files, t.wrong_files, t.skipped,
           tool_seconds() - start);
    printf("%-8s %16s %12s %10s\n", "by", "words compared", "differences", "fallbacks");
    for (int b = 0; b < n_generator; b++)
        if (!t.words[b])
            printf("%-8s not here\n", b == C_SOURCE ? "c" : generator[b]->name);
        else
            printf("%-8s %16lld %12lld %10llu  %s\n", b == C_SOURCE ? "c" : generator[b]->name, (long long)t.words[b],
                   (long long)t.differences[b], (unsigned long long)t.fallbacks[b],
                   t.fell_back[b] ? t.fell_back[b] : "");
    if (c_maker_refusals())
        printf("the compiler refuses %ld C sources\n", c_maker_refusals());
    for (int b = C_SOURCE + 1; made && b < n_generator; b++)
        if (t.fallbacks[b])
            return !!printf("%s has not made all of them\n", generator[b]->name);
    if (made && n_generator == C_SOURCE + 1)
        return !!printf("there is no generator\n");
    return t.wrong_files || c_maker_refusals();
}

/* The files among the arguments, and in the folders among them, sorted. */
typedef KN_VEC(char *) paths;

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void add_path(paths *p, const char *path)
{
    struct stat s;
    DIR *d = !stat(path, &s) && S_ISDIR(s.st_mode) ? opendir(path) : NULL;
    if (!d) {
        char *copy = strdup(path);
        if (!copy || !KN_VEC_PUSH(p, copy))
            abort();
        return;
    }
    size_t first = p->n;
    for (struct dirent *e; (e = readdir(d));) {
        char full[4600];
        size_t length = strlen(e->d_name);
        if (length < 7 || strcmp(e->d_name + length - 7, ".kernel"))
            continue;
        snprintf(full, sizeof full, "%s/%s", path, e->d_name);
        add_path(p, full);
    }
    closedir(d);
    qsort(p->at + first, p->n - first, sizeof *p->at, by_name);
}

int main(int argc, char **argv)
{
    paths p = {0};
    const char *option = argc > 1 ? argv[1] : "";
    bool selects = !strcmp(option, "--select") && argc > 3, times = !strcmp(option, "--time"),
         limited = !strcmp(option, "--c") && argc > 3, guards = !strcmp(option, "--guard"),
         made = !strcmp(option, "--made");
    int result, first = selects || limited ? 3 : times || guards || made ? 2 : 1;
    for (int i = first; i < argc; i++)
        add_path(&p, argv[i]);
    if (selects)
        result = tool_select(argv[2], (int)p.n, p.at);
    else if (guards && p.n)
        result = tool_guard((int)p.n, p.at);
    else if (times)
        result = tool_time((int)p.n, p.at);
    else if (p.n)
        result = check((int)p.n, p.at, limited ? atoi(argv[2]) : (int)p.n, made);
    else
        result =
            !!fprintf(
                stderr,
                "usage: kernels [--c N | --guard | --made] FILE|FOLDER... | --time [FILE...] | --select TO FILE...\n") +
            1;
    for (size_t i = 0; i < p.n; i++)
        free(p.at[i]);
    KN_VEC_FREE(&p);
    return result;
}
