/* SPDX-License-Identifier: Apache-2.0
 * shrink.c -- makes a failing program smaller: other results, equations replaced by the values they had, smaller
 * extents, plainer numbers. Each candidate runs in a process of its own, so that crashes and hangs shrink too. */
#include "programs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, TRIES = 3000 };

bool fails_alone(const program *p, uint64_t seed, bool all, verdict *v)
{
    int ends[2], status = 0;
    *v = (verdict){0};
    fflush(NULL);
    if (pipe(ends))
        return false;
    pid_t child = fork();
    if (!child) {
        alarm(SECONDS);
        check_program(p, seed, all, v);
        ssize_t n = write(ends[1], v, sizeof *v);
        _exit(n != sizeof *v);
    }
    close(ends[1]);
    ssize_t n = child > 0 ? read(ends[0], v, sizeof *v) : 0;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (n != sizeof *v || !WIFEXITED(status) || WEXITSTATUS(status)) {
        *v = (verdict){.failed = child > 0};
        snprintf(v->what, sizeof v->what, WIFSIGNALED(status) ? "it ended by signal %d" : "it ended with status %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return v->failed;
}

/* --- rebuilding ------------------------------------------------------------------------------- */

typedef struct change {
    const bool *cut;        /* per equation: its results become operands */
    knx_buffer *const *was; /* per variable: its value, where it is cut */
    const kni_atom *out;    /* the results; NULL: as they are */
    uint32_t n_out;
    int64_t extent, to; /* an extent, and the one in its place; 0: none */
    int literal;        /* 1 + the operand that becomes a literal */
} change;

static kni_type changed_type(const change *c, kni_type t, int64_t *room)
{
    for (int d = 0; d < t.ndim; d++)
        room[d] = c->extent && t.dim[d] == c->extent ? c->to : t.dim[d];
    if (t.ndim)
        t.dim = room;
    return t;
}

/* The first elements along all axes. */
static knx_buffer *corner(const knx_buffer *x, kni_type from, kni_type to)
{
    knx_buffer *b = knx_buffer_new(kni_type_bytes(to));
    int64_t n = kni_type_size(to), index[KN_MAX_NDIM];
    for (int64_t i = 0; b && i < n; i++) {
        int64_t rest = i, at = 0;
        for (int d = to.ndim - 1; d >= 0; d--) {
            index[d] = rest % to.dim[d];
            rest /= to.dim[d];
        }
        for (int d = 0; d < to.ndim; d++)
            at = at * from.dim[d] + index[d];
        memcpy((char *)b->data + i * to.dtype->size, (const char *)x->data + at * to.dtype->size, to.dtype->size);
    }
    return b;
}

static void *changed_params(knx_arena *a, const change *c, const kni_eqn *e)
{
    if (!e->params || !e->prim->params_size)
        return NULL;
    char *own = knx_arena_copy(a, e->params, e->prim->params_size);
    for (const kni_param_field *f = e->prim->fields; own && c->extent && f && f->name; f++)
        if (f->kind == KN_P_INTS) {
            kni_ints *v = (kni_ints *)(void *)(own + f->offset);
            int64_t *list = knx_arena_copy(a, v->v ? v->v : &c->to, (size_t)(v->n > 0 ? v->n : 1) * sizeof *list);
            for (int i = 0; list && i < v->n; i++)
                list[i] = list[i] == c->extent ? c->to : list[i];
            v->v = list;
        }
    return own;
}

typedef struct draft {
    kni_builder b;
    knx_arena arena;
    kni_atom *atom; /* per variable of the old jaxpr */
    knx_buffer **x; /* per operand of the new one, in order */
    int n;
} draft;

static void add_operand(draft *d, const change *c, kni_type t, uint32_t var, const knx_buffer *value)
{
    int64_t room[KN_MAX_NDIM];
    kni_type to = changed_type(c, t, room);
    d->atom[var] = knb_invar(&d->b, to);
    d->x[d->n++] = corner(value, t, to);
}

static bool draft_equations(draft *d, const program *p, const change *c)
{
    const kni_jaxpr *j = p->j;
    kni_atom in[4 * MAX_VALUES], out[MAX_VALUES];
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (c->cut && c->cut[i]) {
            for (uint32_t k = 0; k < e->n_out; k++)
                add_operand(d, c, j->type[e->out + k], e->out + k, c->was[e->out + k]);
            continue;
        }
        if (e->n_in > 4 * MAX_VALUES || e->n_out > MAX_VALUES)
            return false;
        for (uint32_t k = 0; k < e->n_in; k++) {
            const kni_literal *l = kni_is_literal(e->in[k]) ? &j->literal[e->in[k] & ~KN_LITERAL_BIT] : NULL;
            in[k] = l ? knb_literal(&d->b, l->type.dtype, l->type.weak, l->bits) : d->atom[e->in[k]];
        }
        int n = knb_emit(&d->b, e->prim, changed_params(&d->arena, c, e), (int)e->n_in, in, out, MAX_VALUES);
        if (d->b.error || n != (int)e->n_out)
            return false;
        for (int k = 0; k < n; k++)
            d->atom[e->out + (uint32_t)k] = out[k];
    }
    return true;
}

/* Operands that nothing reads go. */
static bool drop_operands(kni_jaxpr *j, knx_buffer **x, program *out)
{
    bool *used = calloc(j->n_var + 1, 1);
    kni_atom *atom = calloc(j->n_var + 1, sizeof *atom), *y = calloc(j->n_out + 1, sizeof *y);
    kni_builder b;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (!kni_is_literal(j->eqn[i].in[k]))
                used[j->eqn[i].in[k]] = true;
    for (uint32_t k = 0; k < j->n_out; k++)
        if (!kni_is_literal(j->out[k]))
            used[j->out[k]] = true;
    out->x = calloc(j->n_in + 1, sizeof *out->x);
    knb_init(&b);
    kni_atom spare = KN_ATOM_NONE;
    int n = 0;
    for (uint32_t i = 0; i < j->n_in; i++)
        if (used[i]) {
            atom[i] = knb_invar(&b, j->type[i]);
            out->x[n++] = knx_buffer_retain(x[i]);
        } else {
            atom[i] = spare;
        }
    knb_inline(&b, j, atom, y);
    knx_error *e = knb_finish(&b, (int)j->n_out, y, "program", true, &out->j);
    bool fine = !e && out->j->n_in == (uint32_t)n;
    knx_error_release(e);
    knb_free(&b);
    free(used);
    free(atom);
    free(y);
    return fine;
}

static bool rebuild(const program *p, const change *c, program *out)
{
    const kni_jaxpr *j = p->j;
    draft d = {.atom = calloc(j->n_var + 1, sizeof *d.atom), .x = calloc(j->n_var + 1, sizeof *d.x)};
    kni_atom y[MAX_VALUES];
    kni_jaxpr *made = NULL;
    uint32_t n_out = c->out ? c->n_out : j->n_out;
    const kni_atom *old = c->out ? c->out : j->out;
    *out = (program){0};
    knb_init(&d.b);
    for (int i = 0; i < program_operands(p); i++)
        if (c->literal == i + 1) {
            knx_scalar_bits s = {.u = {0, 0}};
            memcpy(s.bytes, p->x[i]->data, j->type[i].dtype->size);
            d.atom[i] = knb_literal(&d.b, j->type[i].dtype, false, s);
        } else {
            add_operand(&d, c, j->type[i], (uint32_t)i, p->x[i]);
        }
    bool fine = draft_equations(&d, p, c) && n_out < MAX_VALUES;
    for (uint32_t k = 0; fine && k < n_out; k++) {
        const kni_literal *l = kni_is_literal(old[k]) ? &j->literal[old[k] & ~KN_LITERAL_BIT] : NULL;
        y[k] = l ? knb_literal(&d.b, l->type.dtype, l->type.weak, l->bits) : d.atom[old[k]];
    }
    if (fine) {
        knx_error *e = knb_finish(&d.b, (int)n_out, y, "program", true, &made);
        fine = !e;
        knx_error_release(e);
    }
    fine = fine && drop_operands(made, d.x, out);
    kni_release(made);
    knb_free(&d.b);
    knx_arena_free(&d.arena);
    release_all(d.n, d.x);
    free(d.x);
    free(d.atom);
    if (!fine)
        program_free(out);
    return fine;
}

/* --- candidates ------------------------------------------------------------------------------- */

typedef struct hunt {
    program *p;
    uint64_t seed;
    bool all;
    int tries;
} hunt;

static double size_of(const program *p)
{
    double n = 100.0 * p->j->n_eqn + 10.0 * p->j->n_out + 30.0 * program_operands(p);
    for (int i = 0; i < program_operands(p); i++)
        n += 0.01 * (double)kni_type_size(p->j->type[i]) + p->j->type[i].ndim;
    return n;
}

/* Takes the candidate if it is smaller and fails too. */
static bool try_change(hunt *h, const change *c)
{
    program next;
    verdict v;
    if (h->tries++ > TRIES || !rebuild(h->p, c, &next))
        return false;
    bool better = size_of(&next) < size_of(h->p) && fails_alone(&next, h->seed, h->all, &v);
    if (better) {
        program_free(h->p);
        *h->p = next;
    } else {
        program_free(&next);
    }
    return better;
}

static bool fewer_results(hunt *h)
{
    bool any = false;
    for (uint32_t k = 0; k < h->p->j->n_out && h->p->j->n_out > 1; k++) {
        kni_atom one = h->p->j->out[k];
        if (try_change(h, &(change){.out = &one, .n_out = 1}))
            return true;
    }
    for (uint32_t k = 0; k < h->p->j->n_out && h->p->j->n_out > 1; k++) {
        kni_atom rest[MAX_VALUES];
        uint32_t n = 0;
        for (uint32_t i = 0; i < h->p->j->n_out; i++)
            if (i != k)
                rest[n++] = h->p->j->out[i];
        any |= try_change(h, &(change){.out = rest, .n_out = n});
    }
    return any;
}

/* The results of an earlier equation instead. */
static bool earlier_results(hunt *h)
{
    for (uint32_t i = 0; i + 1 < h->p->j->n_eqn; i++) {
        const kni_eqn *e = &h->p->j->eqn[i];
        kni_atom out[MAX_VALUES];
        for (uint32_t k = 0; k < e->n_out && k < MAX_VALUES; k++)
            out[k] = e->out + k;
        if (e->n_out && e->n_out < MAX_VALUES && try_change(h, &(change){.out = out, .n_out = e->n_out}))
            return true;
    }
    return false;
}

/* The values that equations 0 .. n - 1 make, AT_ONCE of them from `from` on. */
enum { AT_ONCE = MAX_VALUES - 8 };
static bool values_from(const program *p, uint32_t n, uint32_t from, knx_buffer **was)
{
    const kni_jaxpr *j = p->j;
    draft d = {.atom = calloc(j->n_var + 1, sizeof *d.atom), .x = calloc(j->n_var + 1, sizeof *d.x)};
    knx_buffer *y[MAX_VALUES];
    kni_atom out[MAX_VALUES];
    kni_jaxpr part = *j, *probe = NULL;
    program first = {&part, p->x};
    uint32_t to = n < j->n_eqn ? j->eqn[n].out : j->n_var, many = 0;
    part.n_eqn = n;
    knb_init(&d.b);
    for (int i = 0; i < program_operands(p); i++)
        add_operand(&d, &(change){0}, j->type[i], (uint32_t)i, p->x[i]);
    bool fine = draft_equations(&d, &first, &(change){0});
    for (uint32_t v = from; v < to && many < AT_ONCE; v++)
        out[many++] = d.atom[v];
    knx_error *e = fine ? knb_finish(&d.b, (int)many, out, "probe", false, &probe) : NULL;
    if (probe) {
        e = way_run(&(way){.name = "probe"}, &(program){probe, d.x}, 0, y);
        for (uint32_t k = 0; !e && k < many; k++)
            was[from + k] = y[k];
    }
    fine = probe && !e;
    knx_error_release(e);
    kni_release(probe);
    knb_free(&d.b);
    knx_arena_free(&d.arena);
    release_all(d.n, d.x);
    free(d.x);
    free(d.atom);
    return fine;
}

/* All values, as the meaning has them; NULL where the program does not get so far. */
static knx_buffer **all_values(const program *p)
{
    const kni_jaxpr *j = p->j;
    knx_buffer **was = calloc(j->n_var + 1, sizeof *was);
    uint32_t first = j->n_const + j->n_in, n = j->n_eqn;
    while (n > 0 && !values_from(p, n, first, was))
        n--;
    uint32_t end = n < j->n_eqn ? j->eqn[n].out : j->n_var;
    for (uint32_t from = first + AT_ONCE; n > 0 && from < end; from += AT_ONCE)
        values_from(p, n, from, was);
    return was;
}

static bool cut_range(hunt *h, knx_buffer **was, uint32_t from, uint32_t to)
{
    const kni_jaxpr *j = h->p->j;
    bool *cut = calloc(j->n_eqn + 1, 1), fine = true;
    for (uint32_t i = from; i < to && i < j->n_eqn; i++) {
        cut[i] = true;
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            fine &= was[j->eqn[i].out + k] != NULL;
    }
    bool better = fine && try_change(h, &(change){.cut = cut, .was = was});
    free(cut);
    return better;
}

static bool fewer_equations(hunt *h)
{
    uint32_t n = h->p->j->n_eqn, n_var = h->p->j->n_var;
    knx_buffer **was = all_values(h->p);
    bool better = false;
    for (uint32_t size = n; size >= 1 && !better; size /= 2)
        for (uint32_t from = 0; from < n && !better; from += size)
            better = cut_range(h, was, from, from + size);
    release_all((int)n_var, was);
    free(was);
    return better;
}

static bool smaller_extents(hunt *h)
{
    for (int i = 0; i < program_operands(h->p); i++)
        for (int d = 0; d < h->p->j->type[i].ndim; d++) {
            int64_t e = h->p->j->type[i].dim[d], to[] = {1, 2, 3, e / 4, e / 2, e - e / 8, e - 1};
            for (int k = 0; k < 7; k++)
                if (to[k] > 0 && to[k] < e && try_change(h, &(change){.extent = e, .to = to[k]}))
                    return true;
        }
    return false;
}

static bool plainer_numbers(hunt *h)
{
    bool any = false;
    for (int i = 0; i < program_operands(h->p); i++)
        if (!h->p->j->type[i].ndim && h->p->j->type[i].dtype->kind != KN_KIND_KEY)
            any |= try_change(h, &(change){.literal = i + 1});
    return any;
}

/* All elements of a float operand the same: the first of them. */
static void equal_elements(hunt *h)
{
    verdict v;
    for (int i = 0; i < program_operands(h->p); i++) {
        kni_type t = h->p->j->type[i];
        knx_buffer *old = h->p->x[i], *b = knx_is_inexact(t.dtype) ? knx_buffer_new(kni_type_bytes(t)) : NULL;
        for (int64_t k = 0; b && k < kni_type_size(t); k++)
            memcpy((char *)b->data + k * t.dtype->size, old->data, t.dtype->size);
        if (!b)
            continue;
        h->p->x[i] = b;
        if (!fails_alone(h->p, h->seed, h->all, &v)) {
            h->p->x[i] = old;
            old = b;
        }
        knx_buffer_release(old);
    }
}

void shrink(program *p, uint64_t seed, bool all)
{
    hunt h = {p, seed, all, 0};
    while (fewer_results(&h) || earlier_results(&h) || fewer_equations(&h) || smaller_extents(&h) ||
           plainer_numbers(&h))
        ;
    equal_elements(&h);
}
