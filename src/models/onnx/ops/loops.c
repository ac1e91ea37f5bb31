/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- Loop and Scan. A loop of a known number of rounds is one kn_scan, or written out where it is short, where
 * its state is no tensors, and where shapes change or depend on the counter; one whose end depends on traced values is
 * a kn_while_loop. Where nothing is traced the rounds are run one after the other. */
#include "models/onnx/ops/control.h"
#include "models/onnx/run.h"

enum { WRITTEN_OUT = 16, MOST_WRITTEN_OUT = 1 << 14 };

/* Each round has a scope and memory of its own, so that what it makes on the way does not stay; what it gives is held
 * beside scopes until it is not needed any more, or is handed over to the scope around the loop. */
static void each_array(const knonnx_value *v, int n, void f(kn_array x))
{
    for (int k = 0; k < n; k++) {
        if (v[k].kind == KNONNX_TENSOR_VALUE)
            f(v[k].array);
        else if (v[k].kind == KNONNX_SEQUENCE_VALUE || v[k].kind == KNONNX_OPTIONAL_VALUE)
            each_array(v[k].item, (int)v[k].n, f);
    }
}

static void hold(kn_array x) { kn_retain(x); }

static void let_go(kn_array x) { kn_release(x); }

static int run_round(const knonnx_repeat *r, int64_t counter, kn_array go_on, const knonnx_value *state,
                     knonnx_value *out)
{
    kn_scope scope = kn_scope_begin();
    knmodels_arena *arena = &r->c->run->arena, before = *arena;
    bool yes = true;
    *arena = (knmodels_arena){0};
    int status =
        knonnx_step(r, kn_strong(&counter, KN_I64), go_on ? go_on : kn_strong(&yes, KN_BOOL), state, NULL, out);
    if (!status)
        each_array(out, r->g->n_out, hold);
    if (!status && knonnx_all_tensors(out, r->g->n_out))
        knmodels_arena_free(arena);
    else /* items of sequences and texts lie there */
        knmodels_arena_join(&before, arena);
    *arena = before;
    kn_scope_end(&scope);
    return status;
}

/* Values that were held, as the scope's; NULL with an error. */
static const knonnx_value *hand_over(knonnx_call *c, const knonnx_value *v, int n)
{
    int count = knonnx_leaves(v, n, NULL);
    kn_array *x = knonnx_take(c, (uint64_t)count + 1, sizeof *x);
    if (!x)
        return NULL;
    knonnx_leaves(v, n, x);
    kn_tree tree = count ? kn_tree_from(count, x) : NULL;
    for (int k = 0; k < count; k++)
        x[k] = kn_tree_get(tree, k);
    return knonnx_with_leaves(c, v, n, x);
}

/* What each round collected, to be stacked at the end. */
typedef struct rounds {
    int64_t n, room;
    knonnx_value *value; /* n times n_collected */
} rounds;

static int collect(const knonnx_repeat *r, rounds *all, const knonnx_value *v)
{
    size_t each = (size_t)r->n_collected;
    if (all->n == all->room) {
        int64_t room = all->room ? 2 * all->room : 16;
        knonnx_value *wider = knonnx_take(r->c, (uint64_t)room * (each + 1), sizeof *wider);
        if (!wider)
            return -1;
        if (all->n)
            memcpy(wider, all->value, (size_t)all->n * each * sizeof *wider);
        all->value = wider;
        all->room = room;
    }
    if (each)
        memcpy(all->value + (size_t)all->n * each, v, each * sizeof *v);
    all->n++;
    return 0;
}

/* Collected value k of all rounds, stacked in front. */
static knonnx_value stack_rounds(const knonnx_repeat *r, const rounds *all, int k)
{
    knonnx_value *v = knonnx_take(r->c, (uint64_t)all->n + 1, sizeof *v);
    for (int64_t i = 0; v && i < all->n; i++)
        v[i] = all->value[i * r->n_collected + k];
    return v ? knonnx_stacked(r->c, v, (size_t)all->n, 0) : (knonnx_value){.kind = KNONNX_ABSENT};
}

/* ---- Loop. */

typedef struct loop {
    knonnx_repeat r;
    kn_array most, go_on; /* NULL: not given */
    bool most_known;
    int64_t rounds; /* at most so many; INT64_MAX: not said */
    const knonnx_value *state;
    knonnx_value *end; /* the state at the end */
    knonnx_value *collected;
} loop;

/* Whether the graph hands the condition on as it came, so that it never ends the loop. */
static bool hands_on(const knonnx_graph *g)
{
    const char *name = g->out[0].name;
    for (int k = g->n_nodes - 1; k >= 0; k--) {
        const knonnx_node *n = &g->nodes[k];
        if (n->n_in == 1 && n->n_out == 1 && !strcmp(n->out[0], name) && !strcmp(n->op, "Identity") && !*n->domain)
            name = n->in[0];
    }
    return !strcmp(name, g->in[1].name);
}

static int set_loop(const loop *l)
{
    knonnx_call *c = l->r.c;
    for (int k = 0; k < c->n_out; k++)
        if (knonnx_set_value(c, k, k < l->r.n_state ? l->end[k] : l->collected[k - l->r.n_state]) < 0)
            return -1;
    return 0;
}

/* As one scan. 1: it cannot be one, and there is no error. */
static int scan_loop(loop *l)
{
    const knonnx_repeat *r = &l->r;
    kn_array *collected = knonnx_take(r->c, (uint64_t)r->n_collected + 1, sizeof *collected);
    if (!collected || kn_error_pending())
        return collected ? 1 : -1;
    if (knonnx_scan(r, l->rounds, l->state, NULL, l->end, collected) < 0) {
        if (l->rounds > MOST_WRITTEN_OUT && !knonnx_all_known(l->state, r->n_state))
            return -1;
        kn_error_clear(); /* shapes that change, or that depend on the counter: written out they may be known */
        return 1;
    }
    for (int k = 0; k < r->n_collected; k++)
        l->collected[k] = knonnx_of_array(collected[k]);
    return set_loop(l);
}

static int while_loop(loop *l)
{
    const knonnx_repeat *r = &l->r;
    bool yes = true;
    if (r->n_collected)
        return knonnx_fail(r->c, KN_ERROR_CONCRETIZATION,
                           "how often the loop runs, and with it the shape of what it collects, depends on values that "
                           "are being traced: "
                           "run it without transformations (kn_onnx_run)");
    kn_array most = l->most ? kn_reshape(l->most, &(kn_shape){0}, NULL) : NULL;
    if (knonnx_while(r, most, l->most_known ? l->rounds : INT64_MAX, l->go_on,
                     l->go_on ? l->go_on : kn_strong(&yes, KN_BOOL), l->state, l->end) < 0)
        return -1;
    return set_loop(l);
}

/* What the rounds gave. */
static int finish_rounds(loop *l, const knonnx_value *state, const rounds *all)
{
    const knonnx_repeat *r = &l->r;
    const knonnx_value *end = all->n ? hand_over(r->c, state, r->n_state) : state;
    if (!end)
        return -1;
    memcpy(l->end, end, (size_t)r->n_state * sizeof *end);
    kn_array *none = all->n ? NULL : knonnx_take(r->c, (uint64_t)r->n_collected + 1, sizeof *none);
    if (none && r->n_collected && knonnx_collect_none(r, state, NULL, none) < 0)
        return -1;
    for (int k = 0; k < r->n_collected; k++) {
        l->collected[k] = all->n ? stack_rounds(r, all, k) : knonnx_of_array(none[k]);
        if (l->collected[k].kind == KNONNX_ABSENT)
            return knonnx_done(r->c), -1;
    }
    return set_loop(l);
}

/* A loop that is run round after round. given: what the last round gave, held; NULL: there was none. */
typedef struct running {
    loop *l;
    kn_array go_on;
    const knonnx_value *state, *given;
    knonnx_value *room[2]; /* for what rounds give, by turns */
    rounds all;
} running;

/* 1: there is one more round. 0: there is none. -1: it is not known. */
static int goes_on(const running *u)
{
    const loop *l = u->l;
    const knonnx_repeat *r = &l->r;
    bool traced = u->all.n >= 4 * WRITTEN_OUT && !r->n_collected && l->go_on &&
                  knonnx_all_tensors(u->state, r->n_state) && !knonnx_all_known(u->state, r->n_state);
    if (u->all.n >= l->rounds)
        return 0;
    if ((l->most && !l->most_known) || (u->go_on && !kn_is_concrete(u->go_on)) || traced)
        return -1;
    return !u->go_on || kn_item_bool(u->go_on);
}

static int next_round(running *u)
{
    const knonnx_repeat *r = &u->l->r;
    knonnx_value *out = u->room[u->all.n % 2];
    memset(out, 0, (size_t)r->g->n_out * sizeof *out);
    if (run_round(r, u->all.n, u->go_on, u->state, out) < 0)
        return -1;
    if (u->given)
        each_array(u->given, 1 + r->n_state, let_go);
    u->given = out;
    u->state = out + 1;
    if (collect(r, &u->all, out + 1 + r->n_state) < 0) {
        each_array(out + 1 + r->n_state, r->n_collected, let_go);
        return -1;
    }
    if (u->l->go_on && out[0].kind != KNONNX_TENSOR_VALUE)
        return knonnx_fail(r->c, KN_ERROR_TYPE, "the condition that the body gives is no tensor");
    u->go_on = u->l->go_on ? out[0].array : NULL;
    return 0;
}

/* Round after round, as long as it is known whether there is another one. */
static int run_loop(loop *l)
{
    const knonnx_repeat *r = &l->r;
    running u = {.l = l, .go_on = l->go_on, .state = l->state};
    int status = 0, more = 0;
    for (int k = 0; k < 2; k++)
        if (!(u.room[k] = knonnx_take(r->c, (uint64_t)r->g->n_out + 1, sizeof *u.room[k])))
            return -1;
    while (!status && (more = goes_on(&u)) > 0)
        status = next_round(&u);
    if (!status)
        status = more < 0 ? while_loop(l) : finish_rounds(l, u.state, &u.all);
    if (u.given)
        each_array(u.given, 1 + r->n_state, let_go);
    for (int64_t k = 0; k < u.all.n; k++)
        each_array(u.all.value + k * r->n_collected, r->n_collected, let_go);
    return status;
}

static int op_loop(knonnx_call *c)
{
    loop l = {.r = {.c = c, .g = knonnx_body(c, "body"), .loop = true, .n_state = c->n_in > 2 ? c->n_in - 2 : 0},
              .rounds = INT64_MAX,
              .state = c->in + 2};
    const knonnx_graph *g = l.r.g;
    if (!g)
        return -1;
    l.r.n_collected = g->n_out - 1 - l.r.n_state;
    if (g->n_in != 2 + l.r.n_state || l.r.n_collected < 0 || c->n_out > g->n_out - 1)
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "a body of %d inputs and %d outputs does not fit %d values that are carried and %d outputs",
                           g->n_in, g->n_out, l.r.n_state, c->n_out);
    if ((knonnx_has(c, 0) && !(l.most = knonnx_in(c, 0))) || (knonnx_has(c, 1) && !(l.go_on = knonnx_in(c, 1))))
        return -1;
    if ((l.most && kn_size(l.most) != 1) || (l.go_on && kn_size(l.go_on) != 1))
        return knonnx_fail(c, KN_ERROR_VALUE, "the number of rounds and the condition have to be one element");
    if (!l.most && !l.go_on)
        return knonnx_fail(c, KN_ERROR_VALUE, "it has neither a number of rounds nor a condition: it would never end");
    l.most_known = l.most && knonnx_known(c, 0);
    if (l.most_known && knonnx_int_in(c, 0, &l.rounds) < 0)
        return -1;
    l.end = knonnx_take(c, (uint64_t)l.r.n_state + 1, sizeof *l.end);
    l.collected = knonnx_take(c, (uint64_t)l.r.n_collected + 1, sizeof *l.collected);
    if (!l.end || !l.collected)
        return -1;
    bool ends = l.go_on && !(knonnx_known(c, 1) && hands_on(g));
    if (!ends && l.go_on && !kn_item_bool(l.go_on))
        l.rounds = 0;
    if (!ends && !l.most && l.rounds)
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "its condition is true and stays so, and there is no number of rounds: it would never end");
    if (!ends && l.most_known && l.rounds > WRITTEN_OUT && knonnx_all_tensors(l.state, l.r.n_state)) {
        int status = scan_loop(&l);
        if (status <= 0)
            return status;
    }
    return run_loop(&l);
}

/* ---- Scan. */

typedef struct scan {
    knonnx_repeat r;
    const knonnx_value *state;
    kn_array *items; /* the axis that is scanned in front, forwards */
    knonnx_value *end;
    kn_array *collected; /* stacked in front */
} scan;

/* `length` rounds. */
static int scan_rounds(const scan *s, int64_t length)
{
    const knonnx_repeat *r = &s->r;
    const knonnx_value *state = s->state;
    rounds all = {0};
    if (!length) {
        memcpy(s->end, state, (size_t)r->n_state * sizeof *state);
        return knonnx_collect_none(r, state, s->items, s->collected);
    }
    if (length > WRITTEN_OUT / 4)
        return knonnx_scan(r, length, state, s->items, s->end, s->collected);
    for (int64_t i = 0; i < length; i++) {
        knonnx_value *out = knonnx_take(r->c, (uint64_t)r->g->n_out + 1, sizeof *out);
        kn_array *item = knonnx_take(r->c, (uint64_t)r->n_items + 1, sizeof *item);
        kn_take_opts o = kn_take_opts_default();
        o.axis = knonnx_single_axis(0);
        for (int k = 0; item && k < r->n_items; k++)
            item[k] = kn_take(s->items[k], kn_like_int(i), &o);
        if (!out || !item || knonnx_step(r, NULL, NULL, state, item, out) < 0 || collect(r, &all, out + r->n_state) < 0)
            return -1;
        state = out;
    }
    memcpy(s->end, state, (size_t)r->n_state * sizeof *state);
    for (int k = 0; k < r->n_collected; k++) {
        knonnx_value v = stack_rounds(r, &all, k);
        if (v.kind != KNONNX_TENSOR_VALUE)
            return knonnx_done(r->c), -1;
        s->collected[k] = v.array;
    }
    return 0;
}

static int begin_scan(knonnx_call *c, int first, scan *s)
{
    int64_t items = knonnx_int(c, "num_scan_inputs", 0);
    const knonnx_graph *g = knonnx_body(c, "body");
    if (!g)
        return -1;
    int n = c->n_in - first;
    if (items < 1 || items > n)
        return knonnx_fail(c, KN_ERROR_VALUE, "num_scan_inputs is %lld, of %d inputs", (long long)items, n);
    *s = (scan){.r = {.c = c, .g = g, .n_items = (int)items, .n_state = n - (int)items}, .state = c->in + first};
    s->r.n_collected = g->n_out - s->r.n_state;
    if (g->n_in != n || s->r.n_collected < 0 || c->n_out > g->n_out)
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "a body of %d inputs and %d outputs does not fit %d inputs, of which %lld are scanned",
                           g->n_in, g->n_out, n, (long long)items);
    for (int k = first; k < c->n_in; k++)
        if (!knonnx_in(c, k))
            return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "input %d is missing", k);
    s->items = knonnx_take(c, (uint64_t)items, sizeof *s->items);
    s->end = knonnx_take(c, (uint64_t)s->r.n_state + 1, sizeof *s->end);
    s->collected = knonnx_take(c, (uint64_t)s->r.n_collected + 1, sizeof *s->collected);
    return s->items && s->end && s->collected ? 0 : -1;
}

/* An attribute with a number for each thing that is scanned or collected: number k, 0 where there is none. */
static int number_of(knonnx_call *c, const char *name, int k, int wanted, int64_t *out)
{
    int n = 0;
    const int64_t *v = knonnx_ints(c, name, &n);
    *out = v && k < n ? v[k] : 0;
    return !v || n == wanted ? 0
                             : knonnx_fail(c, KN_ERROR_VALUE, "%s has %d numbers where %d are wanted", name, n, wanted);
}

static kn_array backwards(kn_array x)
{
    kn_squeeze_opts o = kn_squeeze_opts_default();
    o.axis = knonnx_single_axis(0);
    return kn_flip(x, &o);
}

static kn_array moved_axis(kn_array x, int from, int to)
{
    kn_axes source = knonnx_single_axis(from), target = knonnx_single_axis(to);
    return from == to ? x : kn_moveaxis(x, &source, &target);
}

static int op_scan(knonnx_call *c)
{
    scan s;
    int64_t axis, direction, length = -1;
    if (begin_scan(c, 0, &s) < 0)
        return -1;
    for (int k = 0; k < s.r.n_items; k++) {
        kn_array x = c->in[s.r.n_state + k].array;
        if (number_of(c, "scan_input_axes", k, s.r.n_items, &axis) < 0 ||
            number_of(c, "scan_input_directions", k, s.r.n_items, &direction) < 0)
            return -1;
        int at = knonnx_axis(c, axis, kn_ndim(x));
        if (at < 0)
            return -1;
        if (k && kn_dim(x, at) != length)
            return knonnx_fail(c, KN_ERROR_VALUE, "things of %lld and %lld elements are scanned together",
                               (long long)length, (long long)kn_dim(x, at));
        length = kn_dim(x, at);
        x = moved_axis(x, at, 0);
        s.items[k] = direction ? backwards(x) : x;
    }
    if (scan_rounds(&s, length) < 0)
        return -1;
    for (int k = 0; k < c->n_out; k++) {
        int i = k - s.r.n_state;
        if (i < 0) {
            if (knonnx_set_value(c, k, s.end[k]) < 0)
                return -1;
            continue;
        }
        if (number_of(c, "scan_output_axes", i, s.r.n_collected, &axis) < 0 ||
            number_of(c, "scan_output_directions", i, s.r.n_collected, &direction) < 0)
            return -1;
        int at = knonnx_axis(c, axis, kn_ndim(s.collected[i]));
        kn_array x = direction ? backwards(s.collected[i]) : s.collected[i];
        if (at < 0 || knonnx_set(c, k, moved_axis(x, 0, at)) < 0)
            return -1;
    }
    return 0;
}

/* ---- Scan of opset 8: a batch along axis 0, scanned along axis 1, sequences of lengths of their own. */

static kn_array element(kn_array x, int64_t i)
{
    kn_take_opts o = kn_take_opts_default();
    o.axis = knonnx_single_axis(0);
    return kn_take(x, kn_like_int(i), &o);
}

/* As long as the longest, with zeros behind. */
static kn_array lengthened(kn_array x, int64_t by)
{
    int64_t width[KN_MAX_NDIM][2] = {{0, by}};
    return by ? kn_pad(x, kn_from_memory(width, &(kn_shape){2, {kn_ndim(x), 2}}, KN_I64), NULL) : x;
}

static int scan_sequence(scan *s, int64_t b, int64_t length, int64_t longest)
{
    knonnx_call *c = s->r.c;
    int64_t direction;
    const knonnx_value *given = c->in + 1;
    knonnx_value *state = knonnx_take(c, (uint64_t)s->r.n_state + 1, sizeof *state);
    if (!state)
        return -1;
    for (int k = 0; k < s->r.n_state; k++)
        state[k] = knonnx_of_array(element(given[k].array, b));
    for (int k = 0; k < s->r.n_items; k++) {
        kn_lax_slice_in_dim_opts o = kn_lax_slice_in_dim_opts_default();
        kn_array x = kn_lax_slice_in_dim(element(given[s->r.n_state + k].array, b), 0, length, &o);
        if (number_of(c, "directions", k, s->r.n_items, &direction) < 0)
            return -1;
        s->items[k] = direction ? backwards(x) : x;
    }
    s->state = state;
    if (scan_rounds(s, length) < 0)
        return -1;
    for (int k = 0; k < s->r.n_collected; k++)
        s->collected[k] = lengthened(s->collected[k], longest - length);
    return 0;
}

static int op_scan_8(knonnx_call *c)
{
    scan s;
    int n = 0;
    const int64_t *length = NULL;
    if (begin_scan(c, 1, &s) < 0 || (knonnx_has(c, 0) && !(length = knonnx_ints_in(c, 0, &n))))
        return -1;
    kn_array first = c->in[1 + s.r.n_state].array;
    int64_t batch = kn_dim(first, 0), longest = kn_dim(first, 1);
    if (batch < 1 || longest < 0 || (length && n != batch))
        return knonnx_done(c) ? -1
                              : knonnx_fail(c, KN_ERROR_VALUE, "a batch of %lld, and %d lengths", (long long)batch, n);
    int outs = s.r.n_state + s.r.n_collected;
    knonnx_value *each = knonnx_take(c, (uint64_t)outs * (uint64_t)batch + 1, sizeof *each);
    for (int64_t b = 0; each && b < batch; b++) {
        if (length && (length[b] < 0 || length[b] > longest))
            return knonnx_fail(c, KN_ERROR_VALUE, "a sequence of length %lld, of %lld", (long long)length[b],
                               (long long)longest);
        if (scan_sequence(&s, b, length ? length[b] : longest, longest) < 0)
            return -1;
        for (int k = 0; k < outs; k++)
            each[k * batch + b] = k < s.r.n_state ? s.end[k] : knonnx_of_array(s.collected[k - s.r.n_state]);
    }
    for (int k = 0; each && k < c->n_out; k++) {
        knonnx_value v = knonnx_stacked(c, each + k * batch, (size_t)batch, 0);
        if (v.kind == KNONNX_ABSENT || knonnx_set_value(c, k, v) < 0)
            return knonnx_done(c), -1;
    }
    return each ? 0 : -1;
}

const knonnx_row knonnx_rows_loops[] = {
    {"Loop", 1, op_loop, 0, -1, 1, -1},
    {"Scan", 8, op_scan_8, 2, -1, 1, -1},
    {"Scan", 9, op_scan, 1, -1, 1, -1},
    {0},
};
