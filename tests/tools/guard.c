/* SPDX-License-Identifier: Apache-2.0
 * guard.c -- kernels with each buffer right before, and right behind, a page without access. What the points of a launch
 * read and write is found by a maker of stage functions that goes element by element; only that is memory. Machine code
 * is made with probes, so that a lane that its mask leaves out counts as touched, too, where it lies in such a page. */
#define _GNU_SOURCE
#include "host/drive.h"
#include "kernel/internal.h"
#include "support/stage_reference.h"
#if defined(__x86_64__)
#include "host/x86/emit.h"
#endif
#include "tools/kernels.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const double MOST_POINTS = 3000;
enum { MOST_NODES = 2000, SEED = 1 };

/* Per buffer: bytes from its base on that are touched; and while a launch runs, its pages. */
typedef struct touched {
    int64_t low, high;
    char *map, *at;
    size_t bytes;
} touched;
typedef struct watch {
    const kernel_case *c;
    const kernel_data *d;
    touched *span;
} watch;

static void widen(void *env, int buffer, const void *element, int size)
{
    const watch *w = env;
    int b = w->c->alias[buffer];
    touched *s = &w->span[b];
    int64_t at = (const char *)element - (const char *)w->d->base[b];
    bool first = s->low == s->high;
    s->low = first || at < s->low ? at : s->low;
    s->high = first || at + size > s->high ? at + size : s->high;
}

static sigjmp_buf faulted;
static void *fault_at;
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    fault_at = info->si_addr;
    siglongjmp(faulted, 1);
}

static void run(const kernel_case *c, const knh_generator *g, void *const *base)
{
    knx_buffer *scratch = tool_scratch(c->k, 1);
    knk_launch l = c->l;
    l.buffer = base;
    knh_run_on(g, c->k, &l, scratch->data, 1);
    knx_buffer_release(scratch);
}

/* What is touched goes to the end of its pages, or to their start. */
static void place(const kernel_case *c, const kernel_data *d, touched *span, bool at_end, void **base)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int b = 0; b < c->k->n_buffer; b++) {
        touched *s = &span[b];
        size_t n = (size_t)(s->high - s->low), room = (n + page - 1) / page * page;
        if (c->alias[b] != b)
            continue;
        s->bytes = room + 2 * page;
        s->map = mmap(NULL, s->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (s->map == MAP_FAILED || (room && mprotect(s->map + page, room, PROT_READ | PROT_WRITE)))
            abort();
        s->at = s->map + page + (at_end ? room - n : 0);
        base[b] = s->at - s->low;
        memcpy(s->at, (const char *)d->base[b] + s->low, n);
    }
    for (int b = 0; b < c->k->n_buffer; b++)
        base[b] = base[c->alias[b]];
}

/* The results go to `to`, where they can be compared; the pages go. */
static void take(const kernel_case *c, touched *span, const kernel_data *to)
{
    for (int b = 0; b < c->k->n_buffer; b++) {
        if (c->alias[b] != b)
            continue;
        memcpy((char *)to->base[b] + span[b].low, span[b].at, (size_t)(span[b].high - span[b].low));
        munmap(span[b].map, span[b].bytes);
    }
}

static bool check_placed(const char *path, kernel_case *c, const kernel_data *start, const kernel_data *want,
                         touched *span, const knh_generator *g, bool at_end, int64_t *words)
{
    kernel_data *got = kernel_data_copy(c, start);
    void **base = calloc((size_t)c->k->n_buffer + 1, sizeof *base);
    char where[160] = "";
    if (!got || !base)
        abort();
    place(c, start, span, at_end, base);
    volatile bool fine = true;
    if (!sigsetjmp(faulted, 1)) {
        run(c, g, base);
    } else {
        fine = false;
        for (int b = 0; b < c->k->n_buffer; b++)
            if ((char *)fault_at >= span[b].map && (char *)fault_at < span[b].map + span[b].bytes)
                fprintf(stderr, "%s: %s touches buffer %d %td bytes %s\n", path, g->name, b,
                        at_end ? (char *)fault_at - (span[b].at + (span[b].high - span[b].low))
                               : span[b].at - (char *)fault_at,
                        at_end ? "behind its end" : "before its start");
    }
    take(c, span, got);
    if (fine && kernel_data_differences(c, got, want, words, where, sizeof where)) {
        fprintf(stderr, "%s: %s: %s\n", path, g->name, where);
        fine = false;
    }
    kernel_data_free(got);
    free(base);
    return fine;
}

static bool check_case(const char *path, kernel_case *c, int64_t *words, int *skipped)
{
    bool fine = true;
    kernel_data *start = kernel_data_new(c, SEED), *want = start ? kernel_data_copy(c, start) : NULL;
    touched *span = calloc((size_t)c->k->n_buffer + 1, sizeof *span);
    if (want && span && c->k->n_node <= MOST_NODES) {
        watch w = {c, want, span};
        stage_reference_watch(widen, &w);
        knh_tune.turn = knh_tune.repeat = knh_tune.weave = 0; /* no tiles: addresses are those of the buffers */
        run(c, &stage_reference, want->base);
        knh_tune.turn = knh_tune.repeat = knh_tune.weave = -1;
        stage_reference_watch(NULL, NULL);
        const knh_generator *g;
        for (int i = 0; (g = knh_generator_number(i)); i++)
            for (int at_end = 0; at_end < 2 && knh_generator_works(g); at_end++)
                fine &= check_placed(path, c, start, want, span, g, at_end, words);
    } else {
        ++*skipped;
    }
    free(span);
    kernel_data_free(want);
    kernel_data_free(start);
    return fine;
}

int tool_guard(int n, char **path)
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int wrong = 0, skipped = 0;
    int64_t words = 0;
    sigaction(SIGSEGV, &action, NULL);
#if defined(__x86_64__)
    knh_emit_probes = true;
#endif
    for (int i = 0; i < n; i++) {
        kernel_case c;
        char *text = tool_read(path[i]);
        if (text && tool_open(path[i], text, MOST_POINTS, &c)) {
            wrong += !check_case(path[i], &c, &words, &skipped);
            kernel_case_free(&c);
        } else {
            wrong++;
        }
        free(text);
    }
    printf("%d kernels between pages without access, %d wrong, %d left out, %lld words compared\n", n, wrong, skipped,
           (long long)words);
    return wrong != 0;
}
