/* SPDX-License-Identifier: Apache-2.0
 * test_pinned_memory.c -- random programs of copies, views, writes, pointers, wrapped memory and DLPack against a model
 * in which arrays are plain memory. A failure names the seed of its program. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <kiln/dlpack.h>
#include <stdlib.h>

enum { LENGTH = 6, ARRAYS = 12, STEPS = 60, BASES = 64, PROGRAMS = 400 };

/* The memory that some arrays share. What others see of it must be `e` when somebody has looked at all of it. */
typedef struct {
    double e[LENGTH];
    int arrays, released;
    double *wrapped;
    const double *data; /* from kn_data */
    DLManagedTensorVersioned *tensor;
} Base;

typedef struct {
    kn_array x;
    int base, from, n, step;
} Part;

static Base bases[BASES];
static Part parts[ARRAYS];
static int n_bases, n_parts;
static uint64_t state, seed;
static bool failing, broken; /* allocations fail; after that nothing is compared any more */

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static double *element(const Part *p, int i) { return &bases[p->base].e[p->from + i * p->step]; }

static void check(bool ok, const char *what)
{
    if (broken || ok)
        return;
    if (!failing || !kn_error_pending())
        fail_msg("program %llu: %s: %s", (unsigned long long)seed, what, kn_error_message());
    broken = true;
}

static void check_seen(const Base *b, const char *when)
{
    for (int i = 0; i < LENGTH && !broken; i++) {
        check(!b->wrapped || b->wrapped[i] == b->e[i], when);
        check(!b->data || b->data[i] == b->e[i], when);
        check(!b->tensor || ((double *)b->tensor->dl_tensor.data)[i] == b->e[i], when);
    }
}

static bool is_whole(const Part *p) { return p->n == LENGTH && p->step == 1; }

static void look_at_base(int base)
{
    for (int i = 0; i < n_parts; i++)
        if (parts[i].base == base && is_whole(&parts[i])) {
            kn_eval(parts[i].x);
            check_seen(&bases[base], "after a look at the array");
            return;
        }
}

static void compare(const Part *p)
{
    double have[LENGTH];
    if (kn_copy_to(p->x, have, (size_t)p->n * sizeof *have) != 0)
        check(false, "copy_to");
    else
        for (int i = 0; i < p->n; i++)
            check(have[i] == *element(p, i), "an element");
}

static void drop(int i)
{
    Base *b = &bases[parts[i].base];
    bool whole = false;
    kn_release(parts[i].x);
    parts[i] = parts[--n_parts];
    for (int k = 0; k < n_parts; k++)
        whole = whole || (&bases[parts[k].base] == b && is_whole(&parts[k]));
    if (--b->arrays == 0 || !whole)
        b->data = NULL; /* a pointer lives as long as its array */
    if (b->arrays)
        return;
    check_seen(b, "after the last array");
    if (b->tensor && below(2)) { /* the consumer may do as it likes */
        for (int k = 0; k < LENGTH && !b->wrapped; k++)
            ((double *)b->tensor->dl_tensor.data)[k] = -99;
        b->tensor->deleter(b->tensor);
        b->tensor = NULL;
    }
}

static void add(kn_array x, int base, int from, int n, int step)
{
    broken = broken || !x;
    if (!x)
        return;
    bases[base].arrays++;
    parts[n_parts++] = (Part){x, base, from, n, step};
}

static int new_base(void)
{
    bases[n_bases] = (Base){0};
    for (int i = 0; i < LENGTH; i++)
        bases[n_bases].e[i] = below(9);
    return n_bases++;
}

static void count_release(void *data, void *env)
{
    (void)data;
    ((Base *)env)->released++;
}

static kn_array same(const kn_array *x) { return *x; }
KN_FUNCTION(same, kn_array, kn_array)

/* ---- What a program consists of: p is one of the arrays, q another one. */

static void make(void)
{
    int base = new_base();
    Base *b = &bases[base];
    if (below(2)) {
        kn_shape shape = KN_SHAPE(LENGTH);
        add((kn_from_memory)(b->e, &shape, KN_F64), base, 0, LENGTH, 1);
        return;
    }
    b->wrapped = malloc(sizeof b->e);
    memcpy(b->wrapped, b->e, sizeof b->e);
    add(kn_wrap(b->wrapped, KN_SHAPE(LENGTH), KN_F64, .release = count_release, .env = b), base, 0, LENGTH, 1);
}

static kn_array copy_of(kn_array x)
{
    KN_SCOPE;
    kn_array y = KN_NONE;
    switch (below(4)) {
    case 0: y = kn_copy(x); break;
    case 1: kn_call(kn_jit(KN_FN(same)), &y, &x); break;
    case 2: y = kn_copy(kn_reshape(kn_copy(kn_reshape(x, KN_SHAPE(1, -1))), KN_SHAPE(-1))); break;
    default: y = kn_positive(x);
    }
    return kn_keep(y);
}

static void copy(Part p)
{
    int base = new_base();
    for (int i = 0; i < p.n; i++)
        bases[base].e[i] = *element(&p, i);
    add(copy_of(p.x), base, 0, p.n, 1);
}

static void view(Part p)
{
    int from = below(p.n), n = 1 + below(p.n - from);
    switch (below(4)) {
    case 0: add(kn_at(p.x, "::-1"), p.base, p.from + (p.n - 1) * p.step, p.n, -p.step); break;
    case 1: add(kn_at(p.x, "%::2", from), p.base, p.from + from * p.step, (p.n - from + 1) / 2, 2 * p.step); break;
    default: add(kn_at(p.x, "%:%", from, from + n), p.base, p.from + from * p.step, n, p.step);
    }
}

static void write_one(Part p)
{
    int i = below(p.n), v = 10 + below(90);
    kn_set_at(p.x, v, "%", i);
    *element(&p, i) = v;
}

static void write_all(Part p, Part q)
{
    double v[LENGTH];
    int how = p.n == q.n ? below(4) : below(2), number = below(50);
    for (int i = 0; i < p.n; i++)
        v[i] = how == 0 ? number : how == 1 ? *element(&p, i) + 1 : *element(&q, i);
    if (how == 0)
        kn_set_at(p.x, number, "...");
    else if (how == 1)
        kn_iadd(p.x, 1);
    else
        kn_set_at(p.x, q.x, "...");
    for (int i = 0; i < p.n; i++)
        *element(&p, i) = v[i];
}

static void point(Part p)
{
    Base *b = &bases[p.base];
    const double *d = kn_data(p.x, double);
    check(d, "data");
    for (int i = 0; d && i < p.n; i++)
        check(d[i] == *element(&p, i), "data");
    if (!d || !is_whole(&p))
        return;
    check(!b->data || b->data == d, "the address has changed");
    check(!b->wrapped || b->wrapped == d, "the address is not that of the wrapped memory");
    b->data = d;
}

static void write_through_pointer(Part p)
{
    int i = below(p.n);
    double *d = p.step == 1 ? kn_data_mut(p.x, double) : NULL;
    check(p.step != 1 || d, "data_mut");
    if (d)
        *element(&p, i) = d[i] = 200 + below(50);
}

static void write_from_outside(Part p)
{
    Base *b = &bases[p.base];
    double *d = b->wrapped ? b->wrapped : b->tensor ? b->tensor->dl_tensor.data : NULL;
    int i = below(LENGTH);
    if (!d || kn_touch(p.x) != 0)
        return;
    check_seen(b, "after touch");
    b->e[i] = d[i] = 300 + below(50);
}

static void exchange(Part p)
{
    Base *b = &bases[p.base];
    if (!b->tensor && is_whole(&p)) {
        b->tensor = kn_to_dlpack(p.x);
        check(b->tensor, "to_dlpack");
        check_seen(b, "after an export");
    } else if (b->tensor) {
        DLManagedTensorVersioned *t = kn_to_dlpack(p.x);
        check(t, "to_dlpack");
        if (t)
            add(kn_from_dlpack(t), p.base, p.from, p.n, p.step);
    }
}

static void one_step(void)
{
    int what = n_parts ? below(14) : 0;
    if (n_parts == ARRAYS || n_bases == BASES) {
        drop(below(n_parts));
        return;
    }
    Part p = n_parts ? parts[below(n_parts)] : (Part){0}, q = n_parts ? parts[below(n_parts)] : p;
    switch (what) {
    case 0: make(); break;
    case 1: copy(p); break;
    case 2: view(p); break;
    case 3:
    case 4: write_one(p); break;
    case 5:
    case 6: write_all(p, q); break;
    case 7: compare(&p); break;
    case 8: point(p); break;
    case 9: write_through_pointer(p); break;
    case 10: write_from_outside(p); break;
    case 11: exchange(p); break;
    case 12: look_at_base(p.base); break;
    default: drop(below(n_parts));
    }
}

static void program(uint64_t number)
{
    seed = number;
    state = number * 7919 + 13;
    n_bases = n_parts = 0;
    broken = false;
    KN_SCOPE;
    kn_set_lazy(below(8) != 0);
    for (int i = 0; i < STEPS && !broken; i++) {
        if (failing)
            knx_fail_after(below(30), below(2));
        one_step();
        if (failing) {
            knx_fail_after(-1, false);
            broken = broken || kn_error_pending();
            kn_error_clear();
        }
        check(!kn_error_pending(), "an error");
    }
    while (n_parts) {
        int i = below(n_parts);
        if (below(2))
            compare(&parts[i]);
        if (below(2))
            look_at_base(parts[i].base);
        drop(i);
    }
    kn_error_clear();
}

static void clean_up(void)
{
    for (int i = 0; i < n_bases; i++)
        if (bases[i].tensor)
            bases[i].tensor->deleter(bases[i].tensor);
    for (int i = 0; i < n_bases; i++) {
        if (bases[i].wrapped && bases[i].released != 1)
            fail_msg("program %llu: released %d times", (unsigned long long)seed, bases[i].released);
        free(bases[i].wrapped);
    }
}

static void random_programs_are_as_with_plain_memory(void **unused)
{
    (void)unused;
    failing = false;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        program(i);
        clean_up();
    }
    kn_set_lazy(true);
}

static void nothing_is_lost_without_memory(void **unused)
{
    (void)unused;
    int64_t live = -1;
    failing = true;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        program(i);
        kn_shutdown();
        clean_up();
        int64_t now = knx_alloc_live();
        if (i > 20 && now > live) /* the first ones fill what stays */
            fail_msg("program %llu: %lld blocks more", (unsigned long long)i, (long long)(now - live));
        live = now;
    }
}

KN_TEST_GROUP(test_pinned_memory)
{
    const struct CMUnitTest tests[] = {TEST(random_programs_are_as_with_plain_memory),
                                       TEST(nothing_is_lost_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
