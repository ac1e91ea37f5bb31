/* SPDX-License-Identifier: Apache-2.0
 * inside.c -- loops and branches on a device (docs/loops.md): the programs inside run there, too, step by step. The
 * turns of a scan are launches, and nobody waits for them; the carries of a loop alternate between two places in the
 * step's workspace, elements of inputs and outputs are read and written where they lie. A while begins turns in chunks
 * on a device that leaves out those after its end, else it reads its condition's bool at each turn; a branch reads its
 * index once. */
#include "base/poll.h"
#include "device/steps/frame.h"
#include <string.h>

enum { PLACES = 2, CHUNK = 64 /* turns that are begun before anybody asks, at most */ };

/* ---- What a step hands to its programs. */

/* The contents of a reference of f, if they are here at the moment and nobody changes them while a step runs. */
static char *known_here(const knd_frame *f, const knc_ref *ref)
{
    const void *at = NULL;
    if (ref->space == KNC_AT_LITERAL)
        at = &f->p->jaxpr->literal[ref->index].bits;
    else if (ref->space == KNC_AT_OPERAND && !f->given)
        at = f->x[ref->index]->held ? f->x[ref->index]->here : NULL;
    else if (ref->space == KNC_AT_OPERAND && !(f->in[ref->index].buffer && !f->in[ref->index].buffer->data))
        at = knd_operand_data(&f->in[ref->index]);
    else if (ref->space == KNC_AT_OUTPUT && f->given)
        at = f->out[ref->index]->data;
    else if (ref->space == KNC_AT_OUTPUT)
        at = f->y[ref->index]->held ? f->y[ref->index]->here : NULL;
    return at ? (char *)(uintptr_t)at + ref->offset : NULL;
}

/* The same of a reference that an action has brought here (knd_wants_here). */
static const void *brought_here(const knd_frame *f, const knc_ref *ref)
{
    return ref->space == KNC_AT_WORK ? f->mirror + ref->offset : known_here(f, ref);
}

/* Room for a spot; *here is what is left, NULL where nobody looks. */
static void give_room(knd_spot *s, char **here)
{
    if (!*here)
        return;
    s->here = *here;
    *here += knx_whole_lines(s->bytes);
}

static knd_spot read_only(const knd_frame *f, const knc_step *s, uint32_t r, size_t bytes, char **here)
{
    knd_spot spot = {.there = f->place[r], .bytes = bytes, .has = true};
    char *known = known_here(f, &s->ref[r]);
    give_room(&spot, here);
    if (known)
        spot.here = known;
    spot.held = known != NULL;
    return spot;
}

/* ---- A program inside. */

/* A frame for l, whose operands and results are x and y; work: its workspace; here: memory for it on the host. */
static bool begin_frame(knd_frame *f, const knd_frame *outer, const knd_loaded *l, knx_arena *arena, knd_spot **x,
                        knd_spot **y, knd_place work, char *here)
{
    const knc_program *p = l->program;
    *f = (knd_frame){.l = (const knd_steps_loaded *)l,
                     .d = outer->d,
                     .p = p,
                     .o = outer->o,
                     .doubt = outer->doubt,
                     .x = x,
                     .y = y,
                     .work = work.memory,
                     .work_at = work.offset};
    if (!knd_frame_rooms(f, arena))
        return false;
    if (!f->l->looks)
        return true;
    knd_operand *in = knx_arena_zero(arena, (p->n_operand + 1) * sizeof *in);
    void **to = knx_arena_zero(arena, (p->n_output + 1) * sizeof *to);
    if (!in || !to)
        return false;
    knd_frame_use(f, here);
    f->host.in = in;
    f->host.to = to;
    return true;
}

/* Where the host's steps find operands and results; an element of an input may be anywhere. */
static void point_host(knd_frame *f)
{
    if (!f->l->host)
        return;
    for (uint32_t i = 0; i < f->p->n_operand; i++)
        ((knd_operand *)(uintptr_t)f->host.in)[i] = (knd_operand){.data = f->x[i]->here};
    for (uint32_t k = 0; k < f->p->n_output; k++)
        ((void **)(uintptr_t)f->host.to)[k] = f->y[k]->here;
}

/* Runs it; results that no step writes are copied. */
static knx_error *run_frame(knd_frame *f)
{
    point_host(f);
    KN_TRY(knd_frame_run(f));
    for (uint32_t k = 0; k < f->p->n_output; k++) {
        const knc_output *o = &f->p->output[k];
        if (o->kind == KNC_OUT_OPERAND)
            KN_TRY(knd_spot_copy(f->d, f->y[k], f->x[o->index]));
        else if (o->kind == KNC_OUT_SAME)
            KN_TRY(knd_spot_copy(f->d, f->y[k], f->y[o->index]));
    }
    return NULL;
}

static bool looks(const knd_loaded *l) { return l && ((const knd_steps_loaded *)l)->looks; }

static uint64_t frame_bytes(const knd_frame *f, const knd_loaded *l)
{
    return l ? knd_frame_bytes((const knd_steps_loaded *)l, f->o->threads) : 0;
}

/* The step's workspace. */
static knd_place workspace_of(const knd_frame *f, const knc_step *s)
{
    uint32_t r = s->u.r.n_in + s->u.r.n_out;
    return s->n_ref > r ? f->place[r] : (knd_place){0};
}

/* ---- Loops. */

typedef struct looping {
    knd_frame *f;
    const knc_step *s;
    const knc_loop *l;
    knx_arena arena;
    knx_buffer *here; /* memory on the host; NULL: nobody looks */
    knd_spot *constant, *carry[PLACES], *x, *y, go;
    knd_frame cond[PLACES], body[PLACES];
} looping;

static uint32_t first_result(const knc_loop *l) { return l->n_cond + l->n_body + l->n + l->n_x; }

static knd_spot *carry_at(const looping *g, uint32_t i, int which)
{
    return &g->carry[which && g->l->second[i] != KNC_IN_PLACE][i];
}

static size_t constant_bytes(const knc_loop *l, uint32_t i)
{
    return kni_type_bytes(i < l->n_cond ? l->cond->operand_type[i] : l->body->operand_type[i - l->n_cond]);
}

/* Bytes on the host: a room for each spot, then what the frames need one after the other. */
static uint64_t bytes_here(const looping *g, const knd_loaded *body, const knd_loaded *cond)
{
    const knc_loop *l = g->l;
    uint64_t spots = 64, frames = frame_bytes(g->f, body), other = frame_bytes(g->f, cond);
    if (!looks(body) && !looks(cond))
        return 0;
    for (uint32_t i = 0; i < l->n_cond + l->n_body; i++)
        spots += knx_whole_lines(constant_bytes(l, i));
    for (uint32_t i = 0; i < l->n + l->n_x + l->n_y; i++)
        spots += knx_whole_lines(l->bytes[i]) * (i < l->n ? PLACES : 1);
    return spots + (frames > other ? frames : other);
}

static bool make_spots(looping *g, char **here)
{
    const knc_loop *l = g->l;
    uint32_t n_constant = l->n_cond + l->n_body, first = first_result(l);
    knd_place work = workspace_of(g->f, g->s);
    knd_spot *spot =
        knx_arena_zero(&g->arena, (n_constant + PLACES * (size_t)l->n + l->n_x + l->n_y + 1) * sizeof *spot);
    if (!spot)
        return false;
    g->constant = spot;
    g->carry[0] = spot + n_constant;
    g->carry[1] = g->carry[0] + l->n;
    g->x = g->carry[1] + l->n;
    g->y = g->x + l->n_x;
    for (uint32_t i = 0; i < n_constant; i++)
        g->constant[i] = read_only(g->f, g->s, i, constant_bytes(l, i), here);
    for (uint32_t i = 0; i < l->n; i++) {
        g->carry[0][i] = (knd_spot){.there = g->f->place[first + i], .bytes = l->bytes[i]};
        give_room(&g->carry[0][i], here);
        g->carry[1][i] =
            (knd_spot){.there = {.memory = work.memory, .offset = work.offset + l->second[i]}, .bytes = l->bytes[i]};
        give_room(&g->carry[1][i], here);
    }
    for (uint32_t i = 0; i < l->n_x + l->n_y; i++) {
        g->x[i].bytes = l->bytes[l->n + i];
        give_room(&g->x[i], here);
    }
    g->go = (knd_spot){.there = {.memory = work.memory, .offset = work.offset + l->go}, .bytes = sizeof(bool)};
    give_room(&g->go, here);
    return true;
}

/* The programs with the carries in one of their places. */
static bool make_frames(looping *g, knd_loaded *const *inside, int which, char *here)
{
    const knc_loop *l = g->l;
    uint32_t n_cond = l->n_cond + l->n, n_in = l->n_body + l->n + l->n_x, n_out = l->n + l->n_y;
    knd_spot **ref = knx_arena_zero(&g->arena, ((size_t)n_cond + n_in + n_out + 1) * sizeof *ref);
    knd_place work = workspace_of(g->f, g->s);
    if (!ref)
        return false;
    knd_spot **cond = ref, **x = cond + n_cond, **y = x + n_in, **go = y + n_out;
    work.offset += l->work;
    *go = &g->go;
    for (uint32_t i = 0; i < l->n_cond + l->n_body; i++)
        *(i < l->n_cond ? &cond[i] : &x[i - l->n_cond]) = &g->constant[i];
    for (uint32_t i = 0; i < l->n; i++) {
        cond[l->n_cond + i] = x[l->n_body + i] = carry_at(g, i, which);
        y[i] = carry_at(g, i, !which);
    }
    for (uint32_t i = 0; i < l->n_x; i++)
        x[l->n_body + l->n + i] = &g->x[i];
    for (uint32_t i = 0; i < l->n_y; i++)
        y[l->n + i] = &g->y[i];
    return begin_frame(&g->body[which], g->f, inside[0], &g->arena, x, y, work, here) &&
           (!l->cond || begin_frame(&g->cond[which], g->f, inside[1], &g->arena, cond, go, work, here));
}

/* The place of the carries in which turn 0 finds them: so that the last one of a scan leaves them at home. */
static int first_place(const knc_loop *l) { return l->cond || l->places == 1 ? 0 : (int)(l->length & 1); }

/* The carries begin as what the step was given. */
static knx_error *begin_carries(looping *g)
{
    for (uint32_t i = 0; i < g->l->n; i++) {
        knd_spot from = {.there = g->f->place[g->l->n_cond + g->l->n_body + i], .has = true};
        KN_TRY(knd_spot_copy(g->f->d, carry_at(g, i, first_place(g->l)), &from));
    }
    return NULL;
}

static knx_error *begin(looping *g, knd_loaded *const *inside)
{
    uint64_t bytes = bytes_here(g, inside[0], g->l->cond ? inside[1] : NULL);
    char *here = NULL;
    if (bytes) {
        g->here = knx_buffer_new(bytes);
        if (!g->here)
            return knx_error_nomem_for(bytes, 0, NULL, NULL);
        here = g->here->data;
    }
    if (!make_spots(g, &here))
        return knx_error_nomem();
    for (int which = 0; which < g->l->places; which++)
        if (!make_frames(g, inside, which, here))
            return knx_error_nomem();
    return begin_carries(g);
}

/* The elements of turn t: of an input that is here, too, nothing has to be fetched. */
static void point(looping *g, int64_t t)
{
    const knc_loop *l = g->l;
    size_t number = (size_t)(l->reverse ? l->length - 1 - t : t);
    uint32_t x = l->n_cond + l->n_body + l->n, y = first_result(l) + l->n;
    for (uint32_t i = 0; i < l->n_x + l->n_y; i++) {
        bool input = i < l->n_x;
        uint32_t r = input ? x + i : y + i - l->n_x;
        char *known = input && g->here ? known_here(g->f, &g->s->ref[r]) : NULL;
        g->x[i].there = g->f->place[r];
        g->x[i].there.offset += number * l->bytes[l->n + i];
        g->x[i].has = input;
        g->x[i].held = known != NULL;
        if (known)
            g->x[i].here = known + number * l->bytes[l->n + i];
    }
}

static knx_error *run_body(looping *g, int which, int64_t t)
{
    point(g, t);
    KN_TRY(run_frame(&g->body[which]));
    for (uint32_t i = 0; i < g->l->n_y; i++)
        KN_TRY(knd_spot_send(g->f->d, &g->y[i]));
    return NULL;
}

/* Does the loop go on? */
static knx_error *ask(looping *g, int which, bool *out)
{
    g->go.has = g->go.held = false;
    KN_TRY(run_frame(&g->cond[which]));
    if (g->go.held)
        memcpy(out, g->go.here, sizeof *out);
    else
        KN_TRY(knd_copy_out(g->f->d, out, g->go.there.memory, g->go.there.offset, sizeof *out));
    return knd_frame_failed(g->f); /* else a loop over what is out of bounds might not end */
}

/* Turn by turn. *which: the place of the carries at the beginning, and at the end. */
static knx_error *run_each(looping *g, const kni_host *watcher, int *which)
{
    const knc_loop *l = g->l;
    bool more = true;
    for (int64_t t = 0; t < l->length; t++) {
        KN_TRY(knx_poll());
        KN_TRY(l->cond ? ask(g, *which, &more) : NULL);
        if (!more)
            break;
        KN_TRY(run_body(g, *which, t));
        *which ^= l->places - 1;
        KN_TRY(watcher ? knd_tell_turn(watcher, t + 1, l->length) : NULL);
    }
    return NULL;
}

/* ---- Turns in chunks: nobody looks at the condition but the device, which leaves out what comes after the end. */

/* Can it be so? Nobody here wants to see anything in the midst of it. */
static bool is_gated(const looping *g, const kni_host *watcher)
{
    if (!g->l->cond)
        return false;
    const knd_loaded *cond = &g->cond[0].l->head, *body = &g->body[0].l->head;
    return g->f->d->gate && !watcher && !g->f->o->on_step && !looks(cond) && !looks(body) && !g->cond[0].l->waits &&
           !g->body[0].l->waits;
}

/* Begins turns t, ..., t + n - 1. */
static knx_error *begin_turns(looping *g, int64_t t, int64_t n)
{
    const knd_device *d = g->f->d;
    for (int64_t i = t; i < t + n; i++) {
        int which = (int)(i & (g->l->places - 1));
        KN_TRY(knx_poll());
        g->go.has = g->go.held = false;
        KN_TRY(run_frame(&g->cond[which]));
        KN_TRY(d->gate->ask(d, g->go.there.memory, g->go.there.offset));
        KN_TRY(run_body(g, which, i));
    }
    return NULL;
}

/* Twice as many with each chunk, so a short loop begins few for nothing, and a long one waits seldom. */
static knx_error *run_chunks(looping *g, int *which)
{
    int64_t passed = 0;
    bool open = true;
    for (int64_t n = 1; open && passed < g->l->length; n = n < CHUNK ? 2 * n : CHUNK) {
        int64_t left = g->l->length - passed;
        KN_TRY(begin_turns(g, passed, n < left ? n : left));
        KN_TRY(knd_gate_count(g->f->d, &passed, &open));
        KN_TRY(knd_frame_failed(g->f));
    }
    *which = (int)(passed & (g->l->places - 1));
    return NULL;
}

static knx_error *run_gated(looping *g, int *which)
{
    const knd_device *d = g->f->d;
    KN_TRY(d->gate->open(d));
    knx_error *error = run_chunks(g, which);
    d->gate->close(d);
    return error;
}

/* ---- Turns that the device makes by itself. */

typedef struct listing {
    looping *g;
    uint32_t n;
    knd_place *at[PLACES];
    int64_t *move;
} listing;

/* What `ref` of the body's program is at turns of this parity. */
static knd_place place_inside(const knd_frame *f, const knc_ref *ref)
{
    const knd_spot *spot = ref->space == KNC_AT_OPERAND  ? f->x[ref->index]
                           : ref->space == KNC_AT_OUTPUT ? f->y[ref->index]
                                                         : NULL;
    if (ref->space == KNC_AT_LITERAL)
        return (knd_place){.offset = ref->offset, .bits = &f->p->jaxpr->literal[ref->index].bits};
    if (!spot)
        return (knd_place){.memory = f->work, .offset = f->work_at + ref->offset};
    return (knd_place){.memory = spot->there.memory, .offset = spot->there.offset + ref->offset};
}

/* Bytes from the element of one turn to that of the next one: of inputs and outputs. */
static int64_t moves_by(const knc_loop *l, const knc_ref *ref)
{
    uint32_t first = ref->space == KNC_AT_OPERAND ? l->n_body + l->n : l->n, n = l->n;
    if ((ref->space != KNC_AT_OPERAND && ref->space != KNC_AT_OUTPUT) || ref->index < first)
        return 0;
    n += ref->index - first + (ref->space == KNC_AT_OUTPUT ? l->n_x : 0);
    return l->reverse ? -(int64_t)l->bytes[n] : (int64_t)l->bytes[n];
}

static void list_ref(listing *t, const knd_frame *frame, const knc_ref *ref)
{
    const knc_loop *l = t->g->l;
    for (int odd = 0; odd < PLACES; odd++)
        t->at[odd][t->n] = place_inside(&frame[(first_place(l) ^ odd) & (l->places - 1)], ref);
    t->move[t->n++] = frame == t->g->body ? moves_by(l, ref) : 0;
}

static void list_program(listing *t, const knd_frame *frame, const knc_program *p)
{
    for (uint32_t i = 0; i < p->n_step; i++)
        for (uint32_t r = 0; r < p->step[i].n_ref; r++)
            list_ref(t, frame, &p->step[i].ref[r]);
    for (uint32_t k = 0; k < p->n_output; k++) {
        const knc_output *o = &p->output[k];
        uint8_t from = o->kind == KNC_OUT_SAME ? KNC_AT_OUTPUT : KNC_AT_OPERAND;
        if (o->kind != KNC_OUT_OPERAND && o->kind != KNC_OUT_SAME)
            continue;
        list_ref(t, frame, &(knc_ref){.space = KNC_AT_OUTPUT, .index = k});
        list_ref(t, frame, &(knc_ref){.space = from, .index = o->index});
    }
}

static void list_all(listing *t)
{
    const knc_loop *l = t->g->l;
    if (l->cond) {
        list_program(t, t->g->cond, l->cond);
        t->at[0][t->n] = t->at[1][t->n] = t->g->go.there;
        t->n++;
    }
    list_program(t, t->g->body, l->body);
}

static size_t most_places(const knc_program *p)
{
    size_t n = 2 * (size_t)p->n_output + 1;
    for (uint32_t i = 0; i < p->n_step; i++)
        n += p->step[i].n_ref;
    return n;
}

/* A while in runs of as many turns as the device likes, which end with a wait. */
static knx_error *run_listed(looping *g, const listing *list, bool *ran, int *which)
{
    void *prepared = g->f->l->prepared[g->s - g->f->p->step];
    int64_t first = 0;
    knd_turned turned = {.open = true};
    while (turned.open && first < g->l->length) {
        const knd_turns turns = {first, g->l->length - first, list->n, {list->at[0], list->at[1]}, list->move};
        KN_TRY(knd_run_turns(g->f->d, prepared, &turns, g->l->cond, &turned));
        if (!turned.ran)
            return NULL;
        *ran = true;
        first += turned.passed;
        KN_TRY(g->l->cond ? knd_frame_failed(g->f) : NULL);
    }
    *which = (first_place(g->l) ^ (int)(first & 1)) & (g->l->places - 1);
    for (uint32_t i = 0; *ran && i < g->l->n; i++) {
        carry_at(g, i, *which)->has = true;
        carry_at(g, i, *which)->held = false;
    }
    return NULL;
}

static knx_error *run_by_itself(looping *g, bool *ran, int *which)
{
    size_t most = most_places(g->l->body) + (g->l->cond ? most_places(g->l->cond) : 0);
    knd_place *at = knx_arena_zero(&g->arena, PLACES * most * sizeof *at);
    listing list = {.g = g, .at = {at, at + most}, .move = knx_arena_zero(&g->arena, most * sizeof *list.move)};
    if (!at || !list.move)
        return knx_error_nomem();
    point(g, 0);
    list_all(&list);
    return run_listed(g, &list, ran, which);
}

static knx_error *run_turns(looping *g, const kni_host *watcher)
{
    const knc_loop *l = g->l;
    int which = first_place(l);
    bool ran = false;
    if (g->f->l->prepared[g->s - g->f->p->step] && !watcher && !g->f->o->on_step && l->length > 0)
        KN_TRY(run_by_itself(g, &ran, &which));
    if (!ran)
        KN_TRY(is_gated(g, watcher) ? run_gated(g, &which) : run_each(g, watcher, &which));
    for (uint32_t i = 0; i < l->n; i++) {
        KN_TRY(knd_spot_copy(g->f->d, carry_at(g, i, 0), carry_at(g, i, which)));
        KN_TRY(knd_spot_send(g->f->d, carry_at(g, i, 0)));
    }
    return NULL;
}

static knx_error *run_loop(knd_frame *f, uint32_t i)
{
    const knc_step *s = &f->p->step[i];
    looping g = {.f = f, .s = s, .l = s->u.r.loop, .arena = KN_ARENA_INIT};
    const kni_host *watcher = g.l->on_step ? kni_host_find(g.l->on_step) : NULL;
    if (g.l->on_step && !watcher)
        return knx_error_new(KN_ERROR_VALUE, "the function of .on_step is not of this process");
    knx_error *error = begin(&g, f->l->inside[i]);
    error = error ? error : run_turns(&g, watcher);
    knx_buffer_release(g.here);
    knx_arena_free(&g.arena);
    return error;
}

/* ---- Branches. */

typedef struct branching {
    const knd_loaded *q; /* the chosen program */
    knx_arena arena;
    knx_buffer *here;
    knd_spot *spot, **ref; /* of its operands, then of its results */
} branching;

static knx_error *begin_branch(branching *b, knd_frame *f, const knc_step *s, knd_frame *out)
{
    const knc_program *p = b->q->program;
    uint32_t n = p->n_operand + p->n_output;
    uint64_t bytes = frame_bytes(f, b->q);
    char *here = NULL;
    b->spot = knx_arena_zero(&b->arena, (n + 1) * sizeof *b->spot);
    b->ref = knx_arena_zero(&b->arena, (n + 1) * sizeof *b->ref);
    if (!b->spot || !b->ref)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++) {
        b->spot[i].bytes = kni_type_bytes(i < p->n_operand ? p->operand_type[i] : p->output_type[i - p->n_operand]);
        bytes += knx_whole_lines(b->spot[i].bytes);
        b->ref[i] = &b->spot[i];
    }
    if (looks(b->q)) {
        b->here = knx_buffer_new(bytes ? bytes : 1);
        if (!b->here)
            return knx_error_nomem_for(bytes, 0, NULL, NULL);
        here = b->here->data;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i < p->n_operand) {
            b->spot[i] = read_only(f, s, i + 1, b->spot[i].bytes, &here);
        } else {
            b->spot[i].there = f->place[i + 1];
            give_room(&b->spot[i], &here);
        }
    }
    bool fine = begin_frame(out, f, b->q, &b->arena, b->ref, b->ref + p->n_operand, workspace_of(f, s), here);
    return fine ? NULL : knx_error_nomem();
}

static knx_error *run_branch(knd_frame *f, uint32_t i)
{
    const knc_step *s = &f->p->step[i];
    int64_t index = *(const int32_t *)brought_here(f, &s->ref[0]), last = (int64_t)s->u.r.branch->n - 1;
    branching b = {.q = f->l->inside[i][index < 0 ? 0 : index > last ? last : index], .arena = KN_ARENA_INIT};
    knd_frame inner;
    knx_error *error = begin_branch(&b, f, s, &inner);
    error = error ? error : run_frame(&inner);
    for (uint32_t k = 0; !error && k < inner.p->n_output; k++)
        error = knd_spot_send(f->d, inner.y[k]);
    knx_buffer_release(b.here);
    knx_arena_free(&b.arena);
    return error;
}

knx_error *knd_run_inside(knd_frame *f, uint32_t i)
{
    return f->p->step[i].kind == KNC_LOOP ? run_loop(f, i) : run_branch(f, i);
}
