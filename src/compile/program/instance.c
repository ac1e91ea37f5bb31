/* SPDX-License-Identifier: Apache-2.0
 * instance.c -- a program of dimension variables, and the programs that are made of it when the variables have numbers:
 * the same steps and kernels with other extents, strides, offsets and places in memory. docs/shapes.md */
#include "compile/loops/control.h"
#include "compile/memory/rooms.h"
#include "compile/program/instance.h"
#include <string.h>

/* ---- Handles of a program name places in its own table of numbers. */

#define MIDDLE ((int64_t)1 << 31)

static int64_t at_place(uint32_t place, int64_t constant)
{
    return KNX_DIM_FIRST + ((int64_t)place << 32) + MIDDLE + constant;
}

static inline int64_t number(const int64_t *table, int64_t d)
{
    if (!knx_is_symbolic(d))
        return d;
    uint64_t word = (uint64_t)(d - KNX_DIM_FIRST);
    return table[word >> 32] + (int64_t)(word & UINT32_MAX) - MIDDLE;
}

/* What is done to each number of a program: finding its place while the program is finished. */
typedef struct finder {
    knx_dim_code *code;
    knx_arena *arena;
    bool failed;
} finder;

static int64_t find_place(finder *f, int64_t d)
{
    uint32_t place = 0;
    if (!knx_is_symbolic(d))
        return d;
    if (!knx_dim_code_add(f->code, d, &place))
        f->failed = true;
    return at_place(place, knx_dim_constant(d));
}

static void find_places(finder *f, const int64_t *d, size_t n)
{
    int64_t *mine = (int64_t *)(uintptr_t)d; /* the program is being made */
    for (size_t i = 0; i < n; i++)
        mine[i] = find_place(f, mine[i]);
}

static void find_bytes(finder *f, const size_t *bytes)
{
    *(size_t *)(uintptr_t)bytes = (size_t)find_place(f, (int64_t)*bytes);
}

/* A type of a jaxpr, whose extents stay handles there: the copy has places. */
static void find_type(finder *f, kni_type *t)
{
    kni_type own;
    if (!kni_type_copy(f->arena, *t, &own)) {
        f->failed = true;
        return;
    }
    *t = own;
    find_places(f, t->dim, (size_t)t->ndim);
}

static const kni_type *find_types(finder *f, const kni_type *t, size_t n)
{
    kni_type *mine = n ? knx_arena_copy(f->arena, t, n * sizeof *t) : NULL;
    for (size_t i = 0; mine && i < n; i++)
        find_type(f, &mine[i]);
    f->failed |= n && !mine;
    return mine;
}

static size_t strides_of(const knk_kernel *k, int m)
{
    const knk_stage *s = &k->stage[k->map[m].stage];
    return (size_t)(k->n_par + s->n_inner + s->n_loop);
}

static size_t loops_of(const knk_kernel *k, int stage)
{
    return (size_t)(k->stage[stage].n_inner + k->stage[stage].n_loop);
}

static const int64_t *find_copy(finder *f, const int64_t *d, size_t n)
{
    const int64_t *mine = n ? knx_arena_copy(f->arena, d, n * sizeof *d) : NULL;
    if (mine)
        find_places(f, mine, n);
    f->failed |= n && !mine;
    return mine;
}

static void find_in_kernel(finder *f, const knc_step *s)
{
    const knk_kernel *k = s->u.k.kernel;
    for (int m = 0; m < k->n_map; m++) {
        knk_map_values *map = (knk_map_values *)(uintptr_t)&s->u.k.map[m];
        map->offset = find_place(f, map->offset);
        map->stride = find_copy(f, map->stride, strides_of(k, m));
    }
    /* stages may share their extents, and a loop of the kernel those of the points */
    ((knc_step *)(uintptr_t)s)->u.k.par = find_copy(f, s->u.k.par, (size_t)k->n_par);
    for (int i = 0; i < k->n_stage; i++)
        ((const int64_t **)(uintptr_t)s->u.k.inner)[i] = find_copy(f, s->u.k.inner[i], loops_of(k, i));
    for (uint32_t i = 0; i < s->u.k.n_shift; i++) {
        knc_shift *x = (knc_shift *)(uintptr_t)&s->u.k.shift[i];
        x->most = find_place(f, x->most);
        x->bytes = find_place(f, x->bytes);
    }
}

/* The parameters of a routine's equation, if one of them is an expression: a copy with places. */
static void find_in_routine(finder *f, const kni_jaxpr *j, knc_step *s)
{
    const kni_eqn *e = &j->eqn[s->eqn];
    s->u.r.xt = find_types(f, s->u.r.xt, s->u.r.n_in);
    s->u.r.yt = find_types(f, s->u.r.yt, s->u.r.n_out);
    find_bytes(f, &s->u.r.workspace);
    if (s->kind != KNC_ROUTINE || !kni_params_are_symbolic(e->prim, e->params))
        return;
    s->u.r.params = knx_arena_copy(f->arena, e->params, e->prim->params_size);
    for (const kni_param_field *p = e->prim->fields; s->u.r.params && p && p->name; p++) {
        char *member = (char *)(uintptr_t)s->u.r.params + p->offset;
        if (p->kind == KN_P_INT) {
            find_places(f, (int64_t *)(void *)member, 1);
        } else if (p->kind == KN_P_INTS) {
            kni_ints *list = (kni_ints *)(void *)member;
            list->v = find_copy(f, list->v, (size_t)list->n);
        }
    }
    f->failed |= !s->u.r.params;
}

static void find_in_step(finder *f, const kni_jaxpr *j, knc_step *s)
{
    for (uint32_t r = 0; r < s->n_ref; r++) {
        find_bytes(f, &s->ref[r].offset);
        find_bytes(f, &s->ref[r].first);
        find_bytes(f, &s->ref[r].bytes);
    }
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: find_in_kernel(f, s); break;
    case KNC_PRODUCT: s->u.p.packed = find_copy(f, s->u.p.packed, knk_packed_words(s->u.p.packed)); break;
    case KNC_COPY: find_bytes(f, &s->u.bytes); break;
    case KNC_LOOP: {
        knc_loop *l = (knc_loop *)(uintptr_t)s->u.r.loop;
        find_in_routine(f, j, s);
        l->length = find_place(f, l->length);
        for (uint32_t i = 0; i < l->n + l->n_x + l->n_y; i++)
            find_bytes(f, &l->bytes[i]);
        break;
    }
    case KNC_ROUTINE:
    case KNC_BRANCH: find_in_routine(f, j, s); break;
    case KNC_BAND: f->failed = true; break; /* programs of variables have none */
    }
}

knx_error *knc_finish_variables(knc_plan *p)
{
    knc_program *q = p->p;
    const knx_dim_scope *scope = knx_dim_now();
    if (!p->symbolic)
        return NULL;
    q->code = knx_arena_zero(&q->arena, sizeof *q->code);
    finder f = {.code = q->code, .arena = &q->arena};
    f.failed = !q->code || !scope;
    for (size_t i = 0; !f.failed && i < scope->sample.n; i++)
        f.failed = !knx_dim_code_var(q->code, scope->sample.at[i].var);
    if (f.failed)
        return knx_error_nomem();
    for (uint32_t i = 0; i < q->n_step; i++)
        find_in_step(&f, q->jaxpr, (knc_step *)(uintptr_t)&q->step[i]);
    for (uint32_t k = 0; k < q->n_output; k++)
        find_bytes(&f, &q->output[k].bytes);
    for (uint32_t i = 0; i < q->n_room; i++)
        find_bytes(&f, &q->room[i].bytes);
    q->operand_type = find_types(&f, q->operand_type, q->n_operand);
    q->output_type = find_types(&f, q->output_type, q->n_output);
    return f.failed ? knx_error_nomem() : NULL;
}

/* ---- Instances. */

typedef struct maker {
    const knc_program *from;
    knc_program *p;
    const int64_t *table;
    int n_value;
    const knx_dim_value *value;
    size_t unit;
    bool failed;
} maker;

static void *room_for(maker *m, size_t bytes)
{
    void *p = knx_arena_alloc(&m->p->arena, bytes + 1);
    m->failed |= !p;
    return p;
}

static const int64_t *numbers(maker *m, const int64_t *d, size_t n)
{
    int64_t *mine = room_for(m, n * sizeof *mine);
    for (size_t i = 0; mine && i < n; i++)
        mine[i] = number(m->table, d[i]);
    return mine;
}

static size_t bytes_of(const maker *m, size_t bytes) { return (size_t)number(m->table, (int64_t)bytes); }

static const kni_type *types(maker *m, const kni_type *t, size_t n)
{
    kni_type *mine = room_for(m, n * sizeof *mine);
    for (size_t i = 0; mine && i < n; i++) {
        mine[i] = t[i];
        mine[i].dim = t[i].ndim ? numbers(m, t[i].dim, (size_t)t[i].ndim) : NULL;
    }
    return mine;
}

static void make_kernel(maker *m, knc_step *s)
{
    const knk_kernel *k = s->u.k.kernel;
    knk_map_values *map = room_for(m, (size_t)k->n_map * sizeof *map);
    const int64_t **inner = room_for(m, (size_t)k->n_stage * sizeof *inner);
    knc_shift *shift = s->u.k.n_shift ? room_for(m, s->u.k.n_shift * sizeof *shift) : NULL;
    if (m->failed)
        return;
    for (int i = 0; i < k->n_map; i++)
        map[i] = (knk_map_values){number(m->table, s->u.k.map[i].offset),
                                  numbers(m, s->u.k.map[i].stride, strides_of(k, i))};
    for (int i = 0; i < k->n_stage; i++)
        inner[i] = numbers(m, s->u.k.inner[i], loops_of(k, i));
    for (uint32_t i = 0; i < s->u.k.n_shift; i++) {
        shift[i] = s->u.k.shift[i];
        shift[i].most = number(m->table, shift[i].most);
        shift[i].bytes = number(m->table, shift[i].bytes);
    }
    s->u.k.map = map;
    s->u.k.inner = inner;
    s->u.k.shift = shift;
    s->u.k.par = numbers(m, s->u.k.par, (size_t)k->n_par);
}

static void make_params(maker *m, const kni_prim *prim, knc_step *s)
{
    char *mine = room_for(m, prim->params_size);
    if (!mine)
        return;
    memcpy(mine, s->u.r.params, prim->params_size);
    for (const kni_param_field *f = prim->fields; f && f->name; f++) {
        if (f->kind == KN_P_INT) {
            int64_t *d = (int64_t *)(void *)(mine + f->offset);
            *d = number(m->table, *d);
        } else if (f->kind == KN_P_INTS) {
            kni_ints *list = (kni_ints *)(void *)(mine + f->offset);
            list->v = numbers(m, list->v, (size_t)list->n);
        }
    }
    s->u.r.params = mine;
}

static void make_routine(maker *m, knc_step *s)
{
    s->u.r.xt = types(m, s->u.r.xt, s->u.r.n_in);
    s->u.r.yt = types(m, s->u.r.yt, s->u.r.n_out);
    if (s->u.r.params)
        make_params(m, m->p->jaxpr->eqn[s->eqn].prim, s);
    s->u.r.workspace = bytes_of(m, s->u.r.workspace);
}

static knx_error *instance_of(const maker *m, const knc_program *from, knc_program **out)
{
    if (from->code)
        return knc_instantiate(from, m->n_value, m->value, m->unit, out);
    *out = knc_retain(from);
    return NULL;
}

static knx_error *make_loop(maker *m, knc_step *s)
{
    const knc_loop *from = s->u.r.loop;
    knc_loop *l = room_for(m, sizeof *l);
    size_t n = (size_t)from->n + from->n_x + from->n_y, *bytes = room_for(m, n * sizeof *bytes),
           *second = room_for(m, from->n * sizeof *second);
    make_routine(m, s);
    if (m->failed)
        return NULL;
    *l = *from;
    l->cond = l->body = NULL;
    s->u.r.loop = l;
    l->length = number(m->table, from->length);
    for (size_t i = 0; i < n; i++)
        bytes[i] = bytes_of(m, from->bytes[i]);
    memcpy(second, from->second, from->n * sizeof *second);
    l->bytes = bytes;
    KN_TRY(instance_of(m, from->body, &l->body));
    if (from->cond)
        KN_TRY(instance_of(m, from->cond, &l->cond));
    knc_lay_out_loop(l, second, m->unit);
    s->u.r.workspace = l->workspace;
    return NULL;
}

static knx_error *make_branch(maker *m, knc_step *s)
{
    const knc_branch *from = s->u.r.branch;
    knc_branch *b = room_for(m, sizeof *b);
    knc_program **program = room_for(m, from->n * sizeof *program);
    size_t most = 0;
    make_routine(m, s);
    if (m->failed)
        return NULL;
    *b = (knc_branch){.program = program};
    s->u.r.branch = b;
    for (uint32_t i = 0; i < from->n; i++) {
        KN_TRY(instance_of(m, from->program[i], &program[i]));
        b->n++;
        most = program[i]->workspace > most ? program[i]->workspace : most;
    }
    b->workspace = s->u.r.workspace = (most + m->unit - 1) & ~(m->unit - 1);
    return NULL;
}

static knx_error *make_step(maker *m, knc_step *s, knc_room *room)
{
    knc_ref *ref = room_for(m, s->n_ref * sizeof *ref);
    if (!ref)
        return NULL;
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: make_kernel(m, s); break;
    case KNC_PRODUCT: s->u.p.packed = numbers(m, s->u.p.packed, knk_packed_words(s->u.p.packed)); break;
    case KNC_COPY: s->u.bytes = bytes_of(m, s->u.bytes); break;
    case KNC_LOOP: KN_TRY(make_loop(m, s)); break;
    case KNC_BRANCH: KN_TRY(make_branch(m, s)); break;
    case KNC_ROUTINE: make_routine(m, s); break;
    case KNC_BAND: break;
    }
    for (uint32_t r = 0; r < s->n_ref; r++) {
        ref[r] = s->ref[r];
        ref[r].offset = bytes_of(m, ref[r].offset);
        ref[r].first = bytes_of(m, ref[r].first);
        ref[r].bytes = bytes_of(m, ref[r].bytes);
    }
    bool control = s->kind == KNC_LOOP || s->kind == KNC_BRANCH; /* the last reference is its workspace */
    if (control && s->n_ref > s->u.r.n_in + s->u.r.n_out) {
        knc_ref *w = &ref[s->n_ref - 1];
        room[w->index].bytes = w->bytes = s->u.r.workspace;
    }
    s->ref = ref;
    return NULL;
}

/* The temporaries get their places, and references to them say where that is. */
static bool place(maker *m, knc_room *room)
{
    knc_program *p = m->p;
    if (!knc_place_rooms(room, p->n_room, p->n_step, m->unit, &p->workspace))
        return false;
    for (uint32_t i = 0; i < p->n_step; i++)
        for (uint32_t r = 0; r < p->step[i].n_ref; r++) {
            knc_ref *ref = &p->step[i].ref[r];
            if (ref->space != KNC_AT_WORK || ref->index >= p->n_room) /* nothing, which lies nowhere */
                continue;
            ref->offset += room[ref->index].offset;
            ref->first += room[ref->index].offset;
        }
    return true;
}

static knx_error *fill(maker *m)
{
    const knc_program *from = m->from;
    knc_program *p = m->p;
    knc_step *step = room_for(m, (from->n_step + 1) * sizeof *step);
    knc_output *output = room_for(m, (from->n_output + 1) * sizeof *output);
    knc_room *room = room_for(m, (from->n_room + 1) * sizeof *room);
    p->n_step = 0;
    if (m->failed)
        return knx_error_nomem();
    memcpy(step, from->step, from->n_step * sizeof *step);
    memcpy(output, from->output, from->n_output * sizeof *output);
    memcpy(room, from->room, from->n_room * sizeof *room);
    p->step = step;
    p->output = output;
    p->room = room;
    p->operand_type = types(m, from->operand_type, from->n_operand);
    p->output_type = types(m, from->output_type, from->n_output);
    for (uint32_t i = 0; i < p->n_room; i++)
        room[i].bytes = bytes_of(m, room[i].bytes);
    for (uint32_t i = 0; i < from->n_step && !m->failed; i++) {
        knx_error *error = make_step(m, &step[i], room);
        /* a loop or branch that is still the other program's is not this one's to release */
        p->n_step = knc_n_inside(&step[i]) && step[i].u.r.loop == from->step[i].u.r.loop &&
                            step[i].u.r.branch == from->step[i].u.r.branch
                        ? i
                        : i + 1;
        KN_TRY(error);
    }
    if (m->failed || !place(m, room))
        return knx_error_nomem();
    p->values = 0;
    for (uint32_t i = 0; i < p->n_operand; i++)
        p->values += kni_type_bytes(p->operand_type[i]);
    for (uint32_t k = 0; k < p->n_output; k++) {
        output[k].bytes = bytes_of(m, output[k].bytes);
        p->values += output[k].kind == KNC_OUT_NEW ? output[k].bytes : 0;
    }
    return NULL;
}

knx_error *knc_instantiate(const knc_program *from, int n, const knx_dim_value *value, size_t unit, knc_program **out)
{
    enum { FEW = 64 };
    const knx_dim_code *code = from->code;
    int64_t few[FEW], *table = code->bare.n <= FEW ? few : knx_alloc(code->bare.n * sizeof *table);
    knc_program *p = knx_alloc(sizeof *p);
    *out = NULL;
    bool known = p && table;
    for (size_t i = 0; known && i < code->var.n; i++) {
        int k = 0;
        while (k < n && value[k].var != code->var.at[i])
            k++;
        known = k < n;
        table[i] = known ? value[k].value : 0;
    }
    knx_error *error = !p || !table ? knx_error_nomem() : NULL;
    if (!error && (!known || !knx_dim_code_run(code, table)))
        error = knx_error_new(KN_ERROR_OVERFLOW, "an extent is too large");
    if (error) {
        knx_free(p);
    } else {
        *p = *from;
        p->refs = 1;
        p->code = NULL;
        p->arena = (knx_arena)KN_ARENA_INIT;
        p->made_from = knc_retain(from);
        maker m = {.from = from, .p = p, .table = table, .n_value = n, .value = value, .unit = unit};
        error = fill(&m);
        if (error)
            knc_release(p);
        else
            *out = p;
    }
    if (table != few)
        knx_free(table);
    return error;
}
