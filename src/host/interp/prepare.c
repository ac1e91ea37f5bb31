/* SPDX-License-Identifier: Apache-2.0
 * prepare.c -- from nodes to the steps that the interpreter runs: order, cold regions, slots for blocks of lanes,
 * layout of the scratch. */
#include "kernel/internal.h"
#include "base/line.h"
#include <string.h>

/* SLOT_BUDGET: bytes of live blocks before the lanes are cut. What fits into the second cache costs less than more
 * rounds of dispatch: with 40 KB the chains of functions took 1.4 times as long. */
enum { MAX_COLD_DEPTH = 8, FREE_LISTS = 4, SLOT_BUDGET = 128 * 1024, NO_LOOP = 255 };

typedef struct prep {
    const knk_kernel *k;
    knk_node *rep;    /* a bitcast is its operand, and what a loop leaves is the carry */
    int32_t *region;  /* per node: the cold region it lies in, 0: none */
    int32_t *last;    /* per value: the last step of the current stage that reads it */
    int32_t *where;   /* per value: its step in the current stage, -1 */
    uint32_t *slot;   /* per value: its slot in the current stage, in bytes per lane */
    uint8_t *flag;    /* per node: already placed */
    uint8_t *persist; /* per value: read by later stages */
    uint8_t *seen;    /* per value: listed as an import of the current stage */
    knk_node *cold_pred;
    int32_t *cold_parent, *cold_loop;
    uint8_t *loop;                          /* per node: the loop of its stage that it lies in, NO_LOOP */
    uint8_t *step_loop;                     /* per step */
    knk_prepared_loop loops[KNK_MAX_LOOPS]; /* of the current stage */
    int open;                               /* the innermost open one */
    bool has_loops;                         /* the current stage */
    uint64_t tested;                        /* its loops that have a WHILE, a bit each */
    int n_cold;                             /* regions, from 1 on */
    knk_action *step;
    int n_step;
    uint32_t free[FREE_LISTS][64];
    int n_free[FREE_LISTS];
    uint32_t used;   /* bytes per lane of the current stage */
    knx_arena arena; /* of what is made */
} prep;

static bool is_cold(const knk_inst *n) { return n->op == KNK_SELECT && n->sub == 1; }

static int depth_of(const prep *p, int region)
{
    int depth = 0;
    for (; region; region = p->cold_parent[region])
        depth++;
    return depth;
}

static int common(const prep *p, int a, int b)
{
    for (int da = depth_of(p, a), db = depth_of(p, b); a != b;) {
        if (da >= db)
            a = p->cold_parent[a], da--;
        else
            b = p->cold_parent[b], db--;
    }
    return a;
}

/* One sweep from users to operands: which region holds each node of the stage. Returns whether a region's parent moved
 * outwards. */
static bool sweep_regions(prep *p, int s, int first_region)
{
    const knk_stage *st = &p->k->stage[s];
    bool moved = false;
    for (int i = st->first; i < st->end; i++)
        p->region[i] = -1; /* no user yet */
    for (int i = st->end - 1; i >= st->first; i--) {
        const knk_inst *n = &p->k->node[i];
        if (p->region[i] < 0 || n->op == KNK_STORE || n->op == KNK_REDUCE || p->persist[p->rep[i]] ||
            knk_is_loop_op(n->op) || p->cold_loop[p->region[i]] != p->loop[i])
            p->region[i] = 0; /* a loop runs in every case, and so does what it needs of what lies around it */
        int mine = p->region[i], inner = mine;
        if (is_cold(n) && depth_of(p, mine) < MAX_COLD_DEPTH) {
            int r = first_region + 1;
            while (r <= p->n_cold && (p->cold_pred[r] != n->a || p->cold_loop[r] != p->loop[i]))
                r++;
            if (r > p->n_cold) {
                p->n_cold = r;
                p->cold_pred[r] = n->a;
                p->cold_loop[r] = p->loop[i];
                p->cold_parent[r] = mine;
            } else if (p->cold_parent[r] != mine) {
                int to = common(p, p->cold_parent[r], mine);
                moved |= to != p->cold_parent[r];
                p->cold_parent[r] = to;
            }
            inner = p->cold_parent[r] == mine
                        ? r
                        : mine; /* a select deeper than its region's parent keeps its yes side with it */
        }
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(n, j);
            if (x < st->first)
                continue;
            int ctx = j == 1 ? inner : mine;
            p->region[x] = p->region[x] < 0 ? ctx : common(p, p->region[x], ctx);
        }
    }
    return moved;
}

static void find_regions(prep *p, int s)
{
    int first = p->n_cold;
    for (int tries = 0; sweep_regions(p, s, first); tries++)
        if (tries == 16) { /* never seen: give up on regions of this stage */
            for (int i = p->k->stage[s].first; i < p->k->stage[s].end; i++)
                p->region[i] = 0;
            p->n_cold = first;
            return;
        }
}

static knk_action *add_step(prep *p, knk_action_kind kind)
{
    p->step_loop[p->n_step] = (uint8_t)p->open;
    knk_action *st = &p->step[p->n_step++];
    *st = (knk_action){.kind = (uint8_t)kind, .buffer = -1, .map = -1, .dst = -1, .a = -1, .b = -1, .c = -1};
    return st;
}

/* Loops. */

static knk_action *add_loop_step(prep *p, knk_action_kind kind, int i, int dst, int a)
{
    const knk_inst *n = &p->k->node[i];
    knk_action *st = add_step(p, kind);
    st->size = (uint8_t)knk_size(n->dtype);
    st->dtype = n->dtype;
    st->how = n->sub;
    st->dst = dst;
    st->a = a;
    st->persist = dst >= 0 && p->persist[dst];
    return st;
}

/* A LOOP with its carries: their first values come before the step to which an END goes back. */
static void begin_loop(prep *p, int i)
{
    const knk_inst *node = p->k->node;
    int outer = p->open, depth = outer == NO_LOOP ? 0 : p->loops[outer].depth + 1, loop = node[i].sub;
    p->loops[loop] = (knk_prepared_loop){.parent = outer,
                                         .depth = (int8_t)depth,
                                         .mask = (int8_t)(p->tested >> loop & 1 ? depth : KNK_NO_MASK),
                                         .outer_mask = KNK_NO_MASK};
    for (int l = outer; l != NO_LOOP && p->loops[loop].outer_mask == KNK_NO_MASK; l = p->loops[l].parent)
        p->loops[loop].outer_mask = p->loops[l].mask;
    p->open = loop;
    int j = i + 1;
    for (; node[j].op == KNK_CARRY; j++) {
        p->flag[j] = 1;
        add_loop_step(p, KNK_ACTION_CARRY, j, j, p->rep[node[j].a]);
    }
    p->loops[loop].head = p->n_step;
    add_loop_step(p, KNK_ACTION_LOOP, i, -1, -1);
}

/* All NEXTs of a loop. Carries get their values at once: one that gets another's is served from a copy. */
static void add_next_values(prep *p, int first)
{
    const knk_inst *node = p->k->node;
    int end = first;
    for (; node[end].op == KNK_NEXT; end++) {
        knk_node from = p->rep[node[end].b];
        p->flag[end] = 1;
        if (node[from].op == KNK_CARRY && from != node[end].a && p->loop[from] == p->open &&
            node[from].stage == node[first].stage)
            add_loop_step(p, KNK_ACTION_KEEP, end, end, from);
    }
    for (int i = first; i < end; i++) {
        knk_node from = p->rep[node[i].b];
        if (from == node[i].a)
            continue;
        bool kept = node[from].op == KNK_CARRY && p->loop[from] == p->open && node[from].stage == node[first].stage;
        add_loop_step(p, KNK_ACTION_NEXT, i, -1, kept ? i : from)->b = node[i].a;
    }
}

static void add_loop_node(prep *p, int i)
{
    const knk_inst *n = &p->k->node[i];
    if (n->op == KNK_LOOP) {
        begin_loop(p, i);
    } else if (n->op == KNK_WHILE) {
        add_loop_step(p, KNK_ACTION_WHILE, i, -1, p->rep[n->a]);
    } else if (n->op == KNK_NEXT) {
        add_next_values(p, i);
    } else if (n->op == KNK_END) {
        p->loops[p->open].end = p->n_step;
        add_loop_step(p, KNK_ACTION_END, i, -1, -1);
        p->open = p->loops[p->open].parent;
    }
}

/* The loop that each node of a stage lies in, by where it stands. */
static void find_loops(prep *p, int s)
{
    const knk_stage *st = &p->k->stage[s];
    p->tested = 0;
    uint8_t parent[KNK_MAX_LOOPS], open = NO_LOOP;
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &p->k->node[i];
        if (n->op == KNK_LOOP) {
            parent[n->sub] = open;
            open = n->sub;
        }
        p->loop[i] = open;
        if (n->op == KNK_WHILE)
            p->tested |= (uint64_t)1 << n->sub;
        if (n->op == KNK_END)
            open = parent[n->sub];
    }
    p->open = NO_LOOP;
    p->has_loops = st->n_loop > 0;
}

/* A value that a loop only reads is read until its end; a carry is, too. */
static void extend_over_loops(prep *p, int first)
{
    for (int i = first; i < p->n_step; i++) {
        const knk_action *st = &p->step[i];
        const int32_t operand[4] = {st->a, st->b, st->c, st->kind == KNK_ACTION_CARRY ? st->dst : -1};
        for (int j = 0; j < 4; j++) {
            int32_t v = operand[j];
            if (v < 0 || p->where[v] < first)
                continue;
            int home = p->step_loop[p->where[v]];
            if (j == 3 && p->last[v] < p->loops[home].end)
                p->last[v] = p->loops[home].end;
            for (int l = p->step_loop[i]; l != NO_LOOP && j < 3; l = p->loops[l].parent) {
                int h = home; /* does the value lie in l? */
                while (h != NO_LOOP && h != l)
                    h = p->loops[h].parent;
                if (h != l && p->last[v] < p->loops[l].end)
                    p->last[v] = p->loops[l].end;
            }
        }
    }
}

static void add_node(prep *p, int i)
{
    const knk_inst *node = p->k->node, *n = &node[i];
    p->flag[i] = 1;
    if (n->op == KNK_CONST || n->op == KNK_BITCAST || n->op == KNK_LAST)
        return;
    if (knk_is_loop_op(n->op)) {
        add_loop_node(p, i);
        return;
    }
    knk_action_kind kind = n->op == KNK_STORE       ? KNK_ACTION_STORE
                           : n->op == KNK_REDUCE    ? KNK_ACTION_REDUCE
                           : n->op == KNK_INDEX     ? KNK_ACTION_INDEX
                           : n->op != KNK_LOAD      ? KNK_ACTION_OP
                           : n->a >= 0 || n->b >= 0 ? KNK_ACTION_GATHER
                                                    : KNK_ACTION_LOAD;
    knk_action *st = add_step(p, kind);
    st->size = (uint8_t)knk_size(n->dtype);
    st->dst = n->op == KNK_STORE ? -1 : i;
    st->a = n->a < 0 ? -1 : p->rep[n->a];
    st->b = n->b < 0 ? -1 : p->rep[n->b];
    st->c = n->c < 0 ? -1 : p->rep[n->c];
    for (int j = 0; j < 3; j++)
        st->osize[j] = knk_operand(n, j) < 0 ? 0 : (uint8_t)knk_size(node[knk_operand(n, j)].dtype);
    st->n_operands = (uint8_t)(kind == KNK_ACTION_OP ? knk_op_table[n->op].n_operands : 0);
    st->map = kind == KNK_ACTION_OP ? -1 : n->map;
    st->buffer = kind == KNK_ACTION_OP ? -1 : n->buffer;
    st->persist = st->dst >= 0 && p->persist[i];
    st->dtype = n->op == KNK_SELECT ? n->dtype : n->a >= 0 ? node[n->a].dtype : n->dtype;
    st->row = n->op;
    st->how = n->sub;
    if (n->op == KNK_CAST) {
        st->row = (uint8_t)(KNK_LOOP_OPS + node[n->a].dtype);
        st->dtype = n->dtype;
    }
}

/* Places the nodes of one region with numbers in [from, to), in order; nodes of inner regions go before the cold
 * select that needs them. */
static void place_region(prep *p, int region, int from, int to, int depth)
{
    for (int i = from; i < to; i++) {
        const knk_inst *n = &p->k->node[i];
        if (p->flag[i] || p->region[i] != region || (n->op == KNK_STORE && p->loop[i] == NO_LOOP))
            continue;
        int inner = 0;
        for (int r = 1; is_cold(n) && depth < MAX_COLD_DEPTH && r <= p->n_cold; r++)
            if (p->cold_pred[r] == n->a && p->cold_loop[r] == p->loop[i] && p->cold_parent[r] == region)
                inner = r;
        if (inner) {
            int head = p->n_step;
            knk_action *st = add_step(p, KNK_ACTION_COLD);
            st->a = p->rep[n->a];
            st->cold = inner;
            place_region(p, inner, from, i, depth + 1);
            p->step[head].skip = p->n_step - head - 1;
        }
        add_node(p, i);
        if (inner)
            p->step[p->n_step - 1].cold = inner; /* the select itself */
    }
}

static int list_of(int size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }

static uint32_t take_slot(prep *p, int size)
{
    int l = list_of(size);
    if (p->n_free[l])
        return p->free[l][--p->n_free[l]];
    uint32_t at = p->used;
    p->used += (uint32_t)size;
    return at;
}

static void give_slot(prep *p, int size, uint32_t at)
{
    int l = list_of(size);
    if (p->n_free[l] < 64)
        p->free[l][p->n_free[l]++] = at;
}

/* The slots of the values that were kept until the end of a loop. */
static void give_back_values(prep *p, int s, int first, int end)
{
    for (int v = p->k->stage[s].first; v < p->k->stage[s].end; v++)
        if (p->last[v] == end && p->where[v] >= first && p->where[v] < end && !p->persist[v])
            give_slot(p, knk_size(p->k->node[v].dtype), p->slot[v]);
}

/* Slots in bytes per lane; a value's slot is free again after its last reader, which may already write its own result
 * there. */
static void give_slots(prep *p, int s, int first)
{
    memset(p->n_free, 0, sizeof p->n_free);
    p->used = 0;
    for (int i = first; i < p->n_step; i++) {
        const knk_action *st = &p->step[i];
        if (st->dst >= 0)
            p->where[st->dst] = i;
        const int32_t operand[3] = {st->a, st->b, st->c};
        for (int j = 0; j < 3; j++)
            if (operand[j] >= 0)
                p->last[operand[j]] = i;
    }
    if (p->has_loops)
        extend_over_loops(p, first);
    for (int i = first; i < p->n_step; i++) {
        knk_action *st = &p->step[i];
        const int32_t operand[3] = {st->a, st->b, st->c};
        for (int j = 0; j < 3; j++) {
            int32_t v = operand[j];
            bool again = (j > 0 && v == operand[0]) || (j > 1 && v == operand[1]);
            if (v >= 0 && !again && p->last[v] == i && p->where[v] >= first && !p->persist[v] &&
                p->k->node[v].op != KNK_REDUCE)
                give_slot(p, knk_size(p->k->node[v].dtype), p->slot[v]);
        }
        if (st->kind == KNK_ACTION_END)
            give_back_values(p, s, first, i);
        if (st->dst >= 0 && !st->persist && st->kind != KNK_ACTION_REDUCE) {
            st->slot = p->slot[st->dst] = take_slot(p, st->size);
            if (p->last[st->dst] < i) /* read by nobody */
                give_slot(p, st->size, st->slot);
        }
    }
}

/* Stores whose value can be worked out right in its destination: no load may be read after that, since it may be of
 * the same memory. */
static void find_direct(prep *p, int first)
{
    int last_load = -1, stores = 0;
    for (int i = first; i < p->n_step; i++) {
        stores += p->step[i].kind == KNK_ACTION_STORE;
        bool gather = p->step[i].kind == KNK_ACTION_GATHER; /* may turn out to be a plain load */
        if ((p->step[i].kind == KNK_ACTION_LOAD || gather) && p->last[p->step[i].dst] > last_load)
            last_load = p->last[p->step[i].dst];
        if (gather && i > last_load)
            last_load = i;
    }
    for (int i = first; i < p->n_step; i++) {
        const knk_action *st = &p->step[i];
        int at = st->kind == KNK_ACTION_STORE ? p->where[st->a] : -1;
        if (at < first)
            continue;
        knk_action *source = &p->step[at];
        if (source->kind == KNK_ACTION_OP && at >= last_load && !source->persist && source->map < 0) {
            source->map = st->map;
            source->buffer = st->buffer;
        } else if ((source->kind == KNK_ACTION_LOAD || source->kind == KNK_ACTION_GATHER) && stores > 1) {
            source->how = 1; /* always copied: the other stores may change its memory */
        }
    }
}

/* In a stage with loops, stores may change what earlier loads point to; a single one at the end does not. */
static void copy_all_loads(prep *p, int first)
{
    int stores = 0;
    for (int i = first; i < p->n_step; i++)
        if (p->step[i].kind == KNK_ACTION_STORE)
            stores += p->step_loop[i] == NO_LOOP ? 1 : 2;
    for (int i = first; i < p->n_step && stores > 1; i++)
        if (p->step[i].kind == KNK_ACTION_LOAD || p->step[i].kind == KNK_ACTION_GATHER)
            p->step[i].how = 1;
}

static bool list_imports(prep *p, const knk_kernel *k, knk_prepared_stage *ps, int s)
{
    int n = 0, reduces = 0;
    int32_t *import = NULL, *reduce = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            import = knx_arena_alloc(&p->arena, (size_t)(n + 1) * sizeof *import);
            reduce = knx_arena_alloc(&p->arena, (size_t)(reduces + 1) * sizeof *reduce);
            if (!import || !reduce)
                return false;
            for (int i = 0; i < n; i++)
                import[i] = 0;
        }
        n = reduces = 0;
        for (int i = ps->first; i < ps->end; i++) {
            const knk_action *st = &p->step[i];
            const int32_t operand[3] = {st->a, st->b, st->c};
            for (int j = 0; j < 3; j++) {
                int32_t v = operand[j];
                if (v < 0 || k->node[v].stage == s || k->node[v].op == KNK_CONST || p->seen[v] == 1 + pass)
                    continue;
                p->seen[v] = (uint8_t)(1 + pass);
                if (pass)
                    import[n] = v;
                n++;
            }
            if (st->kind == KNK_ACTION_REDUCE) {
                if (pass)
                    reduce[reduces] = i;
                reduces++;
            }
        }
    }
    for (int i = 0; i < n; i++)
        p->seen[import[i]] = 0;
    ps->import = import;
    ps->n_import = n;
    ps->reduce = reduce;
    ps->n_reduce = reduces;
    return true;
}

static bool prepare_stage(prep *p, const knk_kernel *k, knk_prepared_stage *ps, int s, uint32_t *slot_bytes,
                          uint32_t *reduce_bytes)
{
    const knk_stage *st = &k->stage[s];
    int16_t *map = knx_arena_alloc(&p->arena, (size_t)(k->n_map + 1) * sizeof *map);
    if (!map)
        return false;
    ps->map = map;
    for (int m = 0; m < k->n_map; m++)
        if (k->map[m].stage == s)
            map[ps->n_map++] = (int16_t)m;
    ps->first = p->n_step;
    find_loops(p, s);
    find_regions(p, s);
    place_region(p, 0, st->first, st->end, 0);
    for (int i = st->first; i < st->end; i++)
        if (k->node[i].op == KNK_STORE && !p->flag[i])
            add_node(p, i);
    ps->end = p->n_step;
    give_slots(p, s, ps->first);
    if (p->has_loops)
        copy_all_loads(p, ps->first);
    else
        find_direct(p, ps->first);
    if (!(ps->loop = knx_arena_copy(&p->arena, p->loops, (size_t)(st->n_loop + 1) * sizeof *ps->loop)))
        return false;
    ps->lanes = KNK_BLOCK;
    while (ps->lanes > 128 && p->used * (uint32_t)ps->lanes > SLOT_BUDGET)
        ps->lanes /= 2;
    uint32_t reduces = 0, at = 0;
    for (int i = ps->first; i < ps->end; i++) {
        knk_action *x = &p->step[i];
        if (x->kind == KNK_ACTION_REDUCE) { /* its accumulators and its stack of ranks, for a column block */
            x->slot = reduces;
            reduces += (uint32_t)knx_whole_lines((64 + KNK_RANKS) * KNK_COLUMN_BLOCK * (uint32_t)x->size);
        } else {
            x->slot *= (uint32_t)ps->lanes;
        }
    }
    at = (uint32_t)knx_whole_lines(p->used * (size_t)ps->lanes);
    if (at > *slot_bytes)
        *slot_bytes = at;
    if (reduces > *reduce_bytes)
        *reduce_bytes = reduces;
    return list_imports(p, k, ps, s);
}

/* Which values are read in later stages than their own, and what bitcasts stand for. */
static void find_persistent(prep *p)
{
    const knk_kernel *k = p->k;
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        p->rep[i] = n->op == KNK_BITCAST || n->op == KNK_LAST ? p->rep[n->a] : i;
        p->where[i] = p->last[i] = -1;
        for (int j = 0; j < 3; j++)
            if (knk_operand(n, j) >= 0) {
                knk_node v = p->rep[knk_operand(n, j)];
                p->persist[v] |= k->node[v].op != KNK_CONST && k->node[v].stage != n->stage;
            }
    }
}

static uint32_t lay(uint32_t *total, size_t bytes)
{
    uint32_t at = *total;
    *total = (uint32_t)knx_whole_lines(at + bytes);
    return at;
}

/* A constant in memory form. */
static void put_constant(void *to, uint64_t bits, int size)
{
    switch (size) {
    case 1: *(uint8_t *)to = (uint8_t)bits; break;
    case 2: *(uint16_t *)to = (uint16_t)bits; break;
    case 4: *(uint32_t *)to = (uint32_t)bits; break;
    default: *(uint64_t *)to = bits;
    }
}

/* Room for the turns and masks of loops; sets how many inner loops a stage has at most. */
static void lay_loops(const knk_kernel *k, struct knk_prepared *r, uint32_t *total)
{
    int n_loop = 0;
    for (int s = 0; s < k->n_stage; s++) {
        if (k->stage[s].n_inner > r->loops)
            r->loops = k->stage[s].n_inner;
        if (k->stage[s].n_loop > n_loop)
            n_loop = k->stage[s].n_loop;
    }
    r->turns_at = lay(total, (size_t)n_loop * sizeof(int64_t));
    r->masks_at = lay(total, n_loop ? KNK_MAX_NESTED * KNK_BLOCK : 0);
}

static bool lay_out(prep *p, const knk_kernel *k, struct knk_prepared *r, uint32_t slot_bytes, uint32_t reduce_bytes)
{
    uint32_t *persist = knx_arena_alloc(&p->arena, (size_t)(k->n_node + 1) * sizeof *persist), total = 0;
    uint8_t *size = knx_arena_alloc(&p->arena, (size_t)k->n_node + 1);
    uint64_t *constant = knx_arena_zero(&p->arena, (size_t)(k->n_node + 1) * sizeof *constant);
    int32_t *value = knx_arena_alloc(&p->arena, (size_t)(k->n_node + 1) * sizeof *value);
    if (!persist || !size || !constant || !value)
        return false;
    lay_loops(k, r, &total);
    r->loops += k->n_par;
    r->n_cold = p->n_cold;
    r->values_at = lay(&total, (size_t)k->n_node * 2 * sizeof(void *));
    r->taken_at = lay(&total, (size_t)p->n_cold + 1);
    r->maps_at = lay(&total, (size_t)k->n_map * 96);
    r->strides_at = lay(&total, (size_t)k->n_map * (size_t)(r->loops + 2) * 2 * sizeof(int64_t));
    r->nests_at = lay(&total, (size_t)k->n_stage * (size_t)(r->loops + 4) * 2 * sizeof(int64_t));
    r->segments_at = lay(&total, (KNK_BLOCK + 8) * 2 * sizeof(uint16_t));
    r->splat_at = lay(&total, 3 * KNK_BLOCK * sizeof(uint64_t));
    r->address_at = lay(&total, KNK_BLOCK * sizeof(int64_t));
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        size[i] = (uint8_t)knk_size(n->dtype);
        persist[i] = p->persist[i] ? lay(&total, (size_t)size[i] * KNK_BLOCK) : UINT32_MAX;
        if (n->op == KNK_CONST) {
            put_constant(&constant[r->n_constant], n->imm, size[i]);
            value[r->n_constant++] = i;
        }
    }
    for (int i = 0; i < p->n_step; i++)
        if (p->step[i].persist && p->step[i].kind != KNK_ACTION_REDUCE)
            p->step[i].slot = persist[p->step[i].dst];
    r->slots_at = lay(&total, slot_bytes);
    r->reduce_at = lay(&total, reduce_bytes);
    r->scratch_bytes = total;
    for (int i = 0; i < p->n_step; i++)
        if (p->step[i].kind == KNK_ACTION_REDUCE)
            p->step[i].slot += r->reduce_at;
        else if (!p->step[i].persist)
            p->step[i].slot += r->slots_at;
    r->persist = persist;
    r->value_size = size;
    r->constant = constant;
    r->constant_value = value;
    return true;
}

static knx_error *prepare_with(prep *p, const knk_kernel *k, struct knk_prepared **out)
{
    struct knk_prepared *r = knx_arena_zero(&p->arena, sizeof *r);
    knk_prepared_stage *stage = knx_arena_zero(&p->arena, (size_t)(k->n_stage + 1) * sizeof *stage);
    uint32_t slot_bytes = 0, reduce_bytes = 0;
    if (!r || !stage)
        return knx_error_nomem();
    find_persistent(p);
    for (int s = 0; s < k->n_stage; s++)
        if (!prepare_stage(p, k, &stage[s], s, &slot_bytes, &reduce_bytes))
            return knx_error_nomem();
    if (!lay_out(p, k, r, slot_bytes, reduce_bytes))
        return knx_error_nomem();
    r->stage = stage;
    r->step = knx_arena_copy(&p->arena, p->step, (size_t)(p->n_step + 1) * sizeof *p->step);
    if (!r->step)
        return knx_error_nomem();
    r->arena = p->arena;
    *out = r;
    return NULL;
}

static knx_error *make(const knk_kernel *k, struct knk_prepared **out)
{
    size_t n = (size_t)k->n_node + 1, cold = 2, more = 0;
    for (int i = 0; i < k->n_node; i++) {
        cold += is_cold(&k->node[i]);
        more += k->node[i].op == KNK_NEXT; /* perhaps two steps */
    }
    prep p = {.k = k};
    size_t per_node = sizeof *p.rep + sizeof *p.region + sizeof *p.last + sizeof *p.where + sizeof *p.slot + 4;
    size_t steps = n + cold + more, cold_bytes = cold * (sizeof *p.cold_pred + 2 * sizeof *p.cold_parent);
    char *memory = knx_alloc_zero(steps * (sizeof *p.step + 1) + cold_bytes + n * per_node), *at = memory;
    if (!memory)
        return knx_error_nomem();
    p.step = (void *)at, at += steps * sizeof *p.step;
    p.cold_pred = (void *)at, at += cold * sizeof *p.cold_pred;
    p.cold_parent = (void *)at, at += cold * sizeof *p.cold_parent;
    p.cold_loop = (void *)at, at += cold * sizeof *p.cold_loop;
    p.rep = (void *)at, at += n * sizeof *p.rep;
    p.region = (void *)at, at += n * sizeof *p.region;
    p.last = (void *)at, at += n * sizeof *p.last;
    p.where = (void *)at, at += n * sizeof *p.where;
    p.slot = (void *)at, at += n * sizeof *p.slot;
    p.flag = (void *)at, at += n;
    p.persist = (void *)at, at += n;
    p.seen = (void *)at, at += n;
    p.loop = (void *)at, at += n;
    p.step_loop = (void *)at;
    knx_error *error = prepare_with(&p, k, out);
    knx_free(memory);
    if (error)
        knx_arena_free(&p.arena);
    return error;
}

/* Kernels belong to all threads: of two that prepare the same one, the first to be done gives the form. */
knx_error *knk_prepare(const knk_kernel *k)
{
    struct knk_prepared *mine = NULL, *known = NULL;
    _Atomic(struct knk_prepared *) *at = (_Atomic(struct knk_prepared *) *)(uintptr_t)&k->prepared;
    if (atomic_load_explicit(at, memory_order_acquire))
        return NULL;
    KN_TRY(make(k, &mine));
    knx_arena own = mine->arena;
    if (atomic_compare_exchange_strong_explicit(at, &known, mine, memory_order_acq_rel, memory_order_acquire))
        knk_count_native(k, own.total);
    else
        knx_arena_free(&own);
    return NULL;
}
