/* SPDX-License-Identifier: Apache-2.0
 * instance.c -- a program of dimension variables, and the programs that are made of it when the variables have numbers:
 * the same steps and kernels with other extents, strides, offsets and places in memory. docs/shapes.md
 *
 * A program of variables keeps an *image* of its instances: the program, its steps, and all that these point to as far
 * as it depends on the variables, in one piece of memory. An instance is a copy of it whose pointers and numbers are
 * filled in. What is more than a number of the variables is computed then: where temporaries and blocks lie, and the
 * programs inside of loops and branches. */
#include "compile/bands/bands.h"
#include "compile/loops/control.h"
#include "compile/memory/rooms.h"
#include "compile/program/instance.h"
#include <string.h>

/* At each of these places of the image is ... */
typedef struct pointer { /* ... the address of another place, */
    uint32_t at, to;
} pointer;
typedef struct number { /* ... number `place` of the code's table, plus a constant, */
    uint32_t at, place;
    int64_t constant;
} number;
typedef struct placed { /* ... a reference to a temporary: it moves by the offset of this room. */
    uint32_t at, room;
} placed;

struct knc_image {
    KN_VEC(char) bytes;
    KN_VEC(pointer) pointer;
    KN_VEC(number) number;
    KN_VEC(placed) placed;
    KN_VEC(number) value;  /* the bytes of operands and of outputs; they are nowhere in the image */
    KN_VEC(uint32_t) late; /* steps with more than numbers */
    knx_bytes values;      /* the bytes of those operands and outputs that do not depend on variables */
};

/* ---- The image. */

typedef struct draft {
    struct knc_image *image;
    const knc_program *p;
    knx_dim_code *code;
    KN_VEC(struct known {
        const void *from;
        size_t n;
        uint32_t to;
    })
    list; /* lists of numbers that are in the image: several stages have the same extents */
    bool failed;
} draft;

enum { ALIGNED = 16 };

/* A copy in the image; its place. */
static uint32_t add(draft *d, const void *from, size_t bytes)
{
    struct knc_image *m = d->image;
    size_t at = (m->bytes.n + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (d->failed || at + bytes > UINT32_MAX || !KN_VEC_RESERVE(&m->bytes, at + bytes - m->bytes.n)) {
        d->failed = true;
        return 0;
    }
    memset(m->bytes.at + m->bytes.n, 0, at - m->bytes.n);
    if (bytes)
        memcpy(m->bytes.at + at, from, bytes);
    m->bytes.n = at + bytes;
    return (uint32_t)at;
}

static void point(draft *d, uint32_t at, uint32_t to)
{
    if (!d->failed && !KN_VEC_PUSH(&d->image->pointer, ((pointer){at, to})))
        d->failed = true;
}

static uint32_t add_at(draft *d, uint32_t at, const void *from, size_t bytes)
{
    uint32_t to = add(d, from, bytes);
    point(d, at, to);
    return to;
}

static number number_of(draft *d, uint32_t at, int64_t x)
{
    number n = {.at = at, .constant = knx_dim_constant(x)};
    if (!knx_dim_code_add(d->code, x, &n.place))
        d->failed = true;
    return n;
}

/* The numbers at this place, if they are expressions. */
static void numbers(draft *d, uint32_t at, size_t n)
{
    for (size_t i = 0; i < n && !d->failed; i++, at += sizeof(int64_t)) {
        int64_t x;
        memcpy(&x, d->image->bytes.at + at, sizeof x);
        if (knx_is_symbolic(x) && !KN_VEC_PUSH(&d->image->number, number_of(d, at, x)))
            d->failed = true;
    }
}

/* At this place is a pointer to these numbers. */
static void list(draft *d, uint32_t at, const int64_t *v, size_t n)
{
    if (!knx_has_symbolic((int)n, v))
        return;
    for (size_t i = d->list.n; i-- > 0;)
        if (d->list.at[i].from == v && d->list.at[i].n == n) {
            point(d, at, d->list.at[i].to);
            return;
        }
    uint32_t to = add_at(d, at, v, n * sizeof *v);
    numbers(d, to, n);
    if (!KN_VEC_PUSH(&d->list, ((struct known){v, n, to})))
        d->failed = true;
}

#define FIELD(at, type, member) ((at) + (uint32_t)offsetof(type, member))
#define ENTRY(at, type, i)      ((at) + (uint32_t)(i) * (uint32_t)sizeof(type))

static void types(draft *d, uint32_t at, const kni_type *t, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= kni_type_is_symbolic(t[i]);
    if (!any)
        return;
    uint32_t to = add_at(d, at, t, n * sizeof *t);
    for (size_t i = 0; i < n; i++)
        list(d, FIELD(ENTRY(to, kni_type, i), kni_type, dim), t[i].dim, (size_t)t[i].ndim);
}

static size_t strides_of(const knk_kernel *k, int m)
{
    const knk_stage *s = &k->stage[k->map[m].stage];
    return (size_t)k->n_par + (size_t)s->n_inner + (size_t)s->n_loop;
}

static void maps(draft *d, uint32_t at, const knk_kernel *k, const knk_map_values *map)
{
    bool any = false;
    for (int m = 0; m < k->n_map; m++)
        any |= knx_is_symbolic(map[m].offset) || knx_has_symbolic((int)strides_of(k, m), map[m].stride);
    if (!any)
        return;
    uint32_t to = add_at(d, at, map, (size_t)k->n_map * sizeof *map);
    for (int m = 0; m < k->n_map; m++) {
        numbers(d, FIELD(ENTRY(to, knk_map_values, m), knk_map_values, offset), 1);
        list(d, FIELD(ENTRY(to, knk_map_values, m), knk_map_values, stride), map[m].stride, strides_of(k, m));
    }
}

static void kernel(draft *d, uint32_t at, const knc_step *s)
{
    const knk_kernel *k = s->u.k.kernel;
    maps(d, FIELD(at, knc_step, u.k.map), k, s->u.k.map);
    list(d, FIELD(at, knc_step, u.k.par), s->u.k.par, (size_t)k->n_par);
    uint32_t to = add_at(d, FIELD(at, knc_step, u.k.inner), s->u.k.inner, (size_t)k->n_stage * sizeof *s->u.k.inner);
    for (int i = 0; i < k->n_stage; i++)
        list(d, ENTRY(to, int64_t *, i), s->u.k.inner[i], (size_t)k->stage[i].n_inner + (size_t)k->stage[i].n_loop);
    if (s->u.k.n_segment)
        to = add_at(d, FIELD(at, knc_step, u.k.segment), s->u.k.segment, s->u.k.n_segment * sizeof *s->u.k.segment);
    for (uint32_t i = 0; i < s->u.k.n_segment; i++) {
        const knc_segment *x = &s->u.k.segment[i];
        maps(d, FIELD(ENTRY(to, knc_segment, i), knc_segment, map), x->kernel, x->map);
        list(d, FIELD(ENTRY(to, knc_segment, i), knc_segment, par), x->par, (size_t)x->kernel->n_par);
    }
    if (s->kind == KNC_PUT && s->u.k.n_shift)
        to = add_at(d, FIELD(at, knc_step, u.k.shift), s->u.k.shift, s->u.k.n_shift * sizeof *s->u.k.shift);
    for (uint32_t i = 0; s->kind == KNC_PUT && i < s->u.k.n_shift; i++) {
        numbers(d, FIELD(ENTRY(to, knc_shift, i), knc_shift, most), 1);
        numbers(d, FIELD(ENTRY(to, knc_shift, i), knc_shift, bytes), 1);
    }
}

static void attached(draft *d, uint32_t at, const knc_attached *x)
{
    if (!x)
        return;
    size_t n = (size_t)x->n_batch + (size_t)x->n_row + (size_t)x->n_column, maps_of = (size_t)x->kernel->n_map;
    uint32_t to = add_at(d, at, x, sizeof *x);
    list(d, FIELD(to, knc_attached, extent), x->extent, n);
    list(d, FIELD(to, knc_attached, offset), x->offset, maps_of);
    list(d, FIELD(to, knc_attached, stride), x->stride, maps_of * n);
}

static void product(draft *d, uint32_t at, const knc_step *s)
{
    list(d, FIELD(at, knc_step, u.p.packed), s->u.p.packed, knk_packed_words(s->u.p.packed));
    attached(d, FIELD(at, knc_step, u.p.fill_a), s->u.p.fill_a);
    attached(d, FIELD(at, knc_step, u.p.fill_b), s->u.p.fill_b);
    attached(d, FIELD(at, knc_step, u.p.finish), s->u.p.finish);
}

static void parameters(draft *d, uint32_t at, const knc_step *s)
{
    const kni_eqn *e = &d->p->jaxpr->eqn[s->eqn];
    if (s->kind != KNC_ROUTINE || !kni_params_are_symbolic(e->prim, e->params))
        return;
    uint32_t to = add_at(d, at, e->params, e->prim->params_size);
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        const void *member = (const char *)e->params + f->offset;
        if (f->kind == KN_P_INT)
            numbers(d, to + (uint32_t)f->offset, 1);
        else if (f->kind == KN_P_INTS)
            list(d, FIELD(to + (uint32_t)f->offset, kni_ints, v), ((const kni_ints *)member)->v,
                 (size_t)((const kni_ints *)member)->n);
    }
}

static void routine(draft *d, uint32_t at, const knc_step *s)
{
    types(d, FIELD(at, knc_step, u.r.xt), s->u.r.xt, s->u.r.n_in);
    types(d, FIELD(at, knc_step, u.r.yt), s->u.r.yt, s->u.r.n_out);
    parameters(d, FIELD(at, knc_step, u.r.params), s);
    numbers(d, FIELD(at, knc_step, u.r.workspace), 1);
}

/* The programs inside are those of the instance, which has none so far. */
static void loop(draft *d, uint32_t at, const knc_loop *l)
{
    knc_loop own = *l;
    size_t n = (size_t)l->n + l->n_x + l->n_y;
    own.body = NULL;
    own.cond = NULL;
    uint32_t to = add_at(d, at, &own, sizeof own);
    numbers(d, FIELD(to, knc_loop, length), 1);
    numbers(d, add_at(d, FIELD(to, knc_loop, bytes), l->bytes, n * sizeof *l->bytes), n);
    add_at(d, FIELD(to, knc_loop, second), l->second, l->n * sizeof *l->second);
}

static void branch(draft *d, uint32_t at, const knc_branch *b)
{
    uint32_t to = add_at(d, at, &(knc_branch){0}, sizeof *b);
    add_at(d, FIELD(to, knc_branch, program), b->program, b->n * sizeof *b->program);
}

static void step(draft *d, uint32_t at, const knc_step *s);

static void band(draft *d, uint32_t at, const knc_band *b)
{
    uint32_t to = add_at(d, at, b, sizeof *b), block, member;
    numbers(d, FIELD(to, knc_band, batches), 1);
    numbers(d, FIELD(to, knc_band, rows), 1);
    numbers(d, FIELD(to, knc_band, height), 1);
    numbers(d, FIELD(to, knc_band, chunk), 1);
    numbers(d, FIELD(to, knc_band, saved), 1);
    block = add_at(d, FIELD(to, knc_band, block), b->block, b->n_block * sizeof *b->block);
    for (uint32_t i = 0; i < b->n_block; i++)
        numbers(d, FIELD(ENTRY(block, knc_block, i), knc_block, row), 1);
    member = add_at(d, FIELD(to, knc_band, step), b->step, b->n_step * sizeof *b->step);
    for (uint32_t i = 0; i < b->n_step; i++) {
        const knc_band_step *x = &b->step[i];
        uint32_t here = ENTRY(member, knc_band_step, i);
        step(d, FIELD(here, knc_band_step, step), &x->step);
        numbers(d, FIELD(here, knc_band_step, rows), 1);
        numbers(d, FIELD(here, knc_band_step, other), 1);
        if (x->step.kind != KNC_KERNEL)
            continue;
        int n = x->step.u.k.kernel->n_par;
        uint32_t cut = add_at(d, FIELD(here, knc_band_step, cut), x->cut, (size_t)n * sizeof *x->cut);
        for (int l = 0; l < n; l++)
            numbers(d, FIELD(ENTRY(cut, knc_cut, l), knc_cut, per), 1);
        for (int part = 0; part < 2; part++)
            list(d, FIELD(here, knc_band_step, par[part]), x->par[part], (size_t)n);
    }
}

/* What the step at this place points to. */
static void step(draft *d, uint32_t at, const knc_step *s)
{
    uint32_t ref = add_at(d, FIELD(at, knc_step, ref), s->ref, s->n_ref * sizeof *s->ref);
    for (uint32_t r = 0; r < s->n_ref; r++) {
        uint32_t here = ENTRY(ref, knc_ref, r);
        numbers(d, FIELD(here, knc_ref, offset), 1);
        numbers(d, FIELD(here, knc_ref, first), 1);
        numbers(d, FIELD(here, knc_ref, bytes), 1);
        /* a value without bytes lies nowhere */
        if (s->ref[r].space == KNC_AT_WORK && s->ref[r].index < d->p->n_room &&
            !KN_VEC_PUSH(&d->image->placed, ((placed){here, s->ref[r].index})))
            d->failed = true;
    }
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: kernel(d, at, s); break;
    case KNC_PRODUCT: product(d, at, s); break;
    case KNC_COPY: numbers(d, FIELD(at, knc_step, u.bytes), 1); break;
    case KNC_BAND: band(d, FIELD(at, knc_step, u.band), s->u.band); break;
    case KNC_LOOP:
        routine(d, at, s);
        loop(d, FIELD(at, knc_step, u.r.loop), s->u.r.loop);
        break;
    case KNC_BRANCH:
        routine(d, at, s);
        branch(d, FIELD(at, knc_step, u.r.branch), s->u.r.branch);
        break;
    case KNC_ROUTINE: routine(d, at, s); break;
    }
}

/* Bytes of an operand or an output with a buffer of its own. */
static void value(draft *d, knx_bytes bytes)
{
    if (!knx_is_symbolic((int64_t)bytes))
        d->image->values += bytes;
    else if (!KN_VEC_PUSH(&d->image->value, number_of(d, 0, (int64_t)bytes)))
        d->failed = true;
}

static void program(draft *d)
{
    const knc_program *p = d->p;
    add(d, p, sizeof *p);
    numbers(d, offsetof(knc_program, copied), 1);
    types(d, offsetof(knc_program, operand_type), p->operand_type, p->n_operand);
    types(d, offsetof(knc_program, output_type), p->output_type, p->n_output);
    uint32_t at = add_at(d, offsetof(knc_program, output), p->output, p->n_output * sizeof *p->output);
    for (uint32_t k = 0; k < p->n_output; k++)
        numbers(d, FIELD(ENTRY(at, knc_output, k), knc_output, bytes), 1);
    at = add_at(d, offsetof(knc_program, room), p->room, p->n_room * sizeof *p->room);
    for (uint32_t i = 0; i < p->n_room; i++)
        numbers(d, FIELD(ENTRY(at, knc_room, i), knc_room, bytes), 1);
    at = add_at(d, offsetof(knc_program, step), p->step, p->n_step * sizeof *p->step);
    for (uint32_t i = 0; i < p->n_step; i++) {
        d->list.n = 0;
        step(d, ENTRY(at, knc_step, i), &p->step[i]);
        bool late = knc_n_inside(&p->step[i]) || p->step[i].kind == KNC_BAND;
        if (late && !KN_VEC_PUSH(&d->image->late, i))
            d->failed = true;
    }
    for (uint32_t i = 0; i < p->n_operand; i++)
        value(d, kni_type_bytes(p->operand_type[i]));
    for (uint32_t k = 0; k < p->n_output; k++)
        value(d, p->output[k].kind == KNC_OUT_NEW ? p->output[k].bytes : 0);
}

knx_error *knc_finish_variables(knc_plan *p)
{
    knc_program *q = p->p;
    const knx_dim_scope *scope = knx_dim_now();
    if (!p->symbolic)
        return NULL;
    q->code = knx_arena_zero(&q->arena, sizeof *q->code);
    q->image = knx_arena_zero(&q->arena, sizeof *q->image);
    draft d = {.image = q->image, .p = q, .code = q->code};
    d.failed = !q->code || !q->image || !scope;
    for (size_t i = 0; !d.failed && i < scope->sample.n; i++)
        d.failed = !knx_dim_code_var(q->code, scope->sample.at[i].var);
    if (!d.failed)
        program(&d);
    KN_VEC_FREE(&d.list);
    return d.failed ? knx_error_nomem() : NULL;
}

void knc_free_image(struct knc_image *m)
{
    KN_VEC_FREE(&m->bytes);
    KN_VEC_FREE(&m->pointer);
    KN_VEC_FREE(&m->number);
    KN_VEC_FREE(&m->placed);
    KN_VEC_FREE(&m->value);
    KN_VEC_FREE(&m->late);
}

size_t knc_image_bytes(const struct knc_image *m) { return m->bytes.n; }

/* ---- Instances. */

typedef struct maker {
    const knc_program *from;
    knc_program *p;
    int n_value;
    const knx_dim_value *value;
    knx_bytes unit;
} maker;

static knx_error *instance_of(const maker *m, const knc_program *from, knc_program **out)
{
    if (from->code)
        return knc_instantiate(from, m->n_value, m->value, m->unit, out);
    *out = knc_retain(from);
    return NULL;
}

static knx_error *finish_loop(const maker *m, const knc_loop *from, knc_step *s)
{
    knc_loop *l = (knc_loop *)(uintptr_t)s->u.r.loop;
    KN_TRY(instance_of(m, from->body, &l->body));
    if (from->cond)
        KN_TRY(instance_of(m, from->cond, &l->cond));
    knc_lay_out_loop(l, (knx_bytes *)(uintptr_t)l->second, m->unit);
    s->u.r.workspace = l->workspace;
    return NULL;
}

static knx_error *finish_branch(const maker *m, const knc_branch *from, knc_step *s)
{
    knc_branch *b = (knc_branch *)(uintptr_t)s->u.r.branch;
    knx_bytes most = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        knc_program **program = (knc_program **)(uintptr_t)&b->program[i];
        KN_TRY(instance_of(m, from->program[i], program));
        b->n++;
        most = (*program)->workspace > most ? (*program)->workspace : most;
    }
    b->workspace = s->u.r.workspace = (most + m->unit - 1) & ~(m->unit - 1);
    return NULL;
}

static knx_error *finish_step(const maker *m, const knc_step *from, knc_step *s)
{
    if (s->kind == KNC_BAND) {
        knc_settle_band(s->u.band);
        return NULL;
    }
    KN_TRY(s->kind == KNC_LOOP ? finish_loop(m, from->u.r.loop, s) : finish_branch(m, from->u.r.branch, s));
    if (s->n_ref > s->u.r.n_in + s->u.r.n_out) { /* the last reference is its workspace */
        knc_ref *w = &s->ref[s->n_ref - 1];
        ((knc_room *)(uintptr_t)m->p->room)[w->index].bytes = w->bytes = s->u.r.workspace;
    }
    return NULL;
}

/* again: p is an instance of it with other numbers, whose pointers are right; its references were moved by the
 * offsets of rooms. */
static void fill(knc_program *p, const struct knc_image *image, const int64_t *table, bool again)
{
    char *to = (char *)p;
    if (!again)
        memcpy(to, image->bytes.at, image->bytes.n);
    for (size_t i = 0; !again && i < image->pointer.n; i++)
        *(void **)(void *)(to + image->pointer.at[i].at) = to + image->pointer.at[i].to;
    for (size_t i = 0; again && i < image->placed.n; i++) {
        knc_ref *ref = (knc_ref *)(void *)(to + image->placed.at[i].at);
        const knc_ref *was = (const knc_ref *)(const void *)(image->bytes.at + image->placed.at[i].at);
        ref->offset = was->offset;
        ref->first = was->first;
    }
    for (size_t i = 0; i < image->number.n; i++) {
        const number *x = &image->number.at[i];
        *(int64_t *)(void *)(to + x->at) = table[x->place] + x->constant;
    }
    p->values = image->values;
    for (size_t i = 0; i < image->value.n; i++)
        p->values += (knx_bytes)(table[image->value.at[i].place] + image->value.at[i].constant);
}

/* The temporaries get their places, and references to them say where that is. */
static bool place(knc_program *p, const struct knc_image *image, knx_bytes unit)
{
    knc_room *room = (knc_room *)(uintptr_t)p->room;
    if (!knc_place_rooms(room, p->n_room, p->n_step, unit, &p->workspace))
        return false;
    for (size_t i = 0; i < image->placed.n; i++) {
        knc_ref *ref = (knc_ref *)(void *)((char *)p + image->placed.at[i].at);
        ref->offset += room[image->placed.at[i].room].offset;
        ref->first += room[image->placed.at[i].room].offset;
    }
    return true;
}

static knx_error *run_code(const knc_program *from, int n, const knx_dim_value *value, int64_t *table)
{
    const knx_dim_code *code = from->code;
    bool known = true;
    for (size_t i = 0; known && i < code->var.n; i++) {
        int k = (int)i < n && value[i].var == code->var.at[i] ? (int)i : 0;
        while (k < n && value[k].var != code->var.at[i])
            k++;
        known = k < n;
        table[i] = known ? value[k].value : 0;
    }
    if (known && knx_dim_code_run(code, table))
        return NULL;
    return knx_error_new(KN_ERROR_OVERFLOW, "an extent is too large");
}

/* Makes an instance in p, which has the bytes of an image and a reference to `from`; again: p is one. */
static KNX_HOT knx_error *instantiate(const knc_program *from, int n, const knx_dim_value *value, size_t unit,
                                      knc_program *p, bool again)
{
    enum { FEW = 64 };
    int64_t few[FEW], *table = from->code->bare.n <= FEW ? few : knx_alloc(from->code->bare.n * sizeof *table);
    knx_error *error = table ? run_code(from, n, value, table) : knx_error_nomem();
    if (error) {
        memcpy(p, from, sizeof *p);
        p->n_step = 0;
    } else {
        fill(p, from->image, table, again && !from->image->late.n);
    }
    atomic_init(&p->refs, 1);
    p->code = NULL;
    p->image = NULL;
    p->arena = (knx_arena)KN_ARENA_INIT;
    p->made_from = from;
    if (table != few)
        knx_free(table);
    maker m = {.from = from, .p = p, .n_value = n, .value = value, .unit = unit};
    for (size_t i = 0; !error && i < from->image->late.n; i++) {
        uint32_t s = from->image->late.at[i];
        error = finish_step(&m, &from->step[s], (knc_step *)(uintptr_t)&p->step[s]);
    }
    return error ? error : place(p, from->image, unit) ? NULL : knx_error_nomem();
}

knx_error *knc_instantiate(const knc_program *from, int n, const knx_dim_value *value, size_t unit, knc_program **out)
{
    knc_program *p = knx_alloc(from->image->bytes.n);
    *out = NULL;
    if (!p)
        return knx_error_nomem();
    knx_error *error = instantiate(knc_retain(from), n, value, unit, p, false);
    if (error)
        knc_release(p);
    else
        *out = p;
    return error;
}

KNX_HOT bool knc_is_instance(const knc_program *q, const knc_program *p)
{
    bool alone = q->made_from == p && atomic_load_explicit(&q->refs, memory_order_acquire) == 1;
    for (uint32_t i = 0; alone && i < q->n_step; i++)
        alone = !knc_n_inside(&q->step[i]);
    return alone;
}

knx_error *knc_instantiate_again(knc_program *q, int n, const knx_dim_value *value, size_t unit)
{
    return instantiate(q->made_from, n, value, unit, q, true);
}
