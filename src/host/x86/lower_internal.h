/* SPDX-License-Identifier: Apache-2.0
 * lower_internal.h -- what the files of the lowering share.
 *
 * A stage becomes lists of items: `uniform` (values that are the same for all lanes, worked out once per row and kept
 * in the frame), `body` (a piece of lanes, emitted for the main loop in interleaved copies and for the tail once with a
 * mask) and one list per cold part (what only a cold select needs, a subroutine behind the function). */
#ifndef KN_HOST_X86_LOWER_INTERNAL_H
#define KN_HOST_X86_LOWER_INTERNAL_H
#include "host/x86/lower.h"
#include "kernel/internal.h"

enum {
    KNG_COPIES = 4,      /* at most so many copies are interleaved */
    KNG_NEVER = 1 << 30, /* position of a use that there is not */
    KNG_FRAME_LIMIT = 64 * 1024,
    KNG_POINTERS = 8, /* streams whose pointers live in registers */
    KNG_BODY = 0,     /* number of the part that the lane loop is */
    KNG_ROW = -1      /* and of what is worked out once per row */
};
/* General-purpose registers: RDI the arguments, RAX the element number, RCX the last start of the main loop or how many
 * lanes exist; RDX, RSI, R11 are lent to the emitter; R10 holds an address for a moment. */

/* Loops (lower_loop.c, lower_turn.c): R15 counts the turns of a loop without loops in it; the counts of others are in
 * the frame. */
enum { KNG_COUNTER = KNG_R15 };

enum { KNG_NODE_LIVE = 1, KNG_NODE_UNIFORM = 2, KNG_NODE_PLACED = 4, KNG_NODE_EXPORTED = 8, KNG_NODE_ABSORBED = 16 };
typedef enum kng_value_kind { KNG_VALUE_CONSTANT, KNG_VALUE_UNIFORM, KNG_VALUE_LANE } kng_value_kind;
typedef struct kng_value {
    knk_node node;
    uint8_t dtype, kind;
    bool mask;               /* lives in a mask register */
    bool folds;              /* a load that is a memory operand of its one user in the main loop */
    bool homed;              /* UNIFORM: lanes read it */
    int16_t part;            /* which part works it out: KNG_BODY, KNG_ROW or a cold one */
    int16_t listed;          /* the last cold part that has it among its inputs */
    int32_t single;          /* UNIFORM: place of one element in the frame, for addresses; -1: none */
    int32_t home;            /* homed: place in the frame; of a cold part: offset in the results of a copy; -1: none */
    int32_t input;           /* where the cold part that is being emitted finds it, or leaves it */
    int32_t uses;            /* by items of the body */
    int32_t born;            /* position of the item of the body that works it out, -1 */
    int32_t kept;            /* carry: place in the frame of the first copy's, -1 */
    int32_t feeds;           /* the carry whose next value it is, -1 */
    bool carry;              /* of a loop */
    bool resident;           /* carry: it lies at `kept`, not in a register, from turn to turn */
    bool stays;              /* it keeps a register in the loop that is being emitted */
    int8_t seat[KNG_COPIES]; /* carry: its register at the start of turns, -1 */
    int8_t pool_lanes;       /* CONSTANT: for how many lanes the operands below are */
    bool has_one, has_all;
    kng_operand one, all;
} kng_value;

/* One value of one copy; values that all copies share have only copy 0. */
typedef struct kng_state {
    int32_t next; /* position of its next use */
    int32_t slot; /* place in the frame, -1: none */
    int8_t reg;   /* -1: none */
    bool pinned, folded;
} kng_state;

typedef enum kng_fusion { KNG_FUSE_NONE, KNG_FUSE_LOGIC, KNG_FUSE_TEST, KNG_FUSE_FMA } kng_fusion;
typedef enum kng_item_kind {
    KNG_ITEM_OP,
    KNG_ITEM_LOAD,
    KNG_ITEM_INDEX,
    KNG_ITEM_IMPORT,
    KNG_ITEM_STORE,
    KNG_ITEM_REDUCE,
    KNG_ITEM_COLD,  /* does any lane need a cold part? */
    KNG_ITEM_USE,   /* nothing but uses: what cold parts read lives until here; what turns of a loop read, too */
    KNG_ITEM_LOOP,  /* before the carries of loop `number` */
    KNG_ITEM_CARRY, /* def: a carry, which begins as the use */
    KNG_ITEM_ONES,  /* def: true for all lanes */
    KNG_ITEM_TOP,   /* where turns begin */
    KNG_ITEM_WHILE, /* def, if any: all uses are true. Does any lane go on? */
    KNG_ITEM_KEEP,  /* def: where the first use is true the second, else the third */
    KNG_ITEM_COPY,  /* def: the use */
    KNG_ITEM_END    /* the next turn, or the end of the loop */
} kng_item_kind;
typedef struct kng_item {
    uint8_t kind, n_use;
    int16_t stream, part; /* LOAD, STORE, INDEX, IMPORT; COLD */
    knk_node node;
    int32_t use[3], next[3]; /* values, and where each is used next after this item */
    int32_t def, first;      /* value, and where it is used first */
    int32_t number;          /* REDUCE: which one; of loops: which loop */
    int32_t index;           /* LOAD of adjacent lanes: a value that is the same for all of them is added; -1 */
    uint8_t fused;           /* kng_fusion; the operands are then those of the absorbed nodes, too */
    uint8_t how;             /* LOGIC: truth table; TEST: 1 for equality; FMA: 1 the product, 2 the addend is negated */
    kng_needs needs;
} kng_item;
typedef struct kng_list {
    KN_VEC(kng_item) item;
    int live, live_masks, temps; /* the most lane values (per copy) that are alive at once; temporaries */
    bool helper, call;           /* has operations that call the interpreter's loops */
} kng_list;

typedef struct kng_part {
    kng_list list;
    bool row; /* of the row's list, not of the lane loop's */
    kng_form form;
    int32_t *input; /* values */
    int n_input;
    int label;
    uint32_t changes[2]; /* registers that it does not keep: vectors, masks */
} kng_part;
/* Way from the body to a cold part and back. */
typedef struct kng_stub {
    int16_t part;
    int8_t copy;
    int label, back;
    int32_t at;       /* in `where`: per input the register (>= 0) or -1 - place in the frame */
    uint32_t live[2]; /* registers in use: vectors, masks */
} kng_stub;

typedef struct kng_carry {
    knk_node node, value; /* CARRY, and the operand of its NEXT */
    int32_t is, next;     /* values; next: what it is in the next turn, -1: it does not change */
    int32_t after;        /* position of its first use after the loop */
} kng_carry;
typedef struct kng_loop {
    knk_node begin, end, test;        /* LOOP, END, WHILE (-1: none) */
    int outer, depth;                 /* the loop that it lies in, -1; in how many it lies */
    bool live, inner, stores, sticky; /* inner: it has loops in it; sticky: its WHILE may come true again */
    bool helper;                      /* calls in it: no register lives through a turn */
    KN_VEC(kng_carry) carry;          /* those that are alive */
    KN_VEC(int32_t) outside;          /* values of lanes from outside that turns read, the most used ones first */
    int32_t going, active;            /* values: lanes that take part in this turn; at its start, if sticky; -1 */
    int32_t first, top, last;         /* positions: LOOP, TOP, END */
    int loads_left;                   /* in it, not placed yet */
    int live_values[2];               /* of its own that are alive at once, by bank */
    int temps;
    /* while it is emitted */
    int begin_label, end_label;
    int32_t holds[2][32];    /* the states that registers hold at the start of each turn */
    uint32_t outer_avoid[2]; /* `avoid` of the loop around it */
    int32_t count, saved;    /* frame: turns left; pointers of its streams before the first turn */
} kng_loop;

typedef struct kng_bank { /* the registers of one kind */
    uint32_t free, lock, usable;
    int32_t holds[32]; /* state, or -1 */
} kng_bank;

typedef struct kng_sum { /* one reduction */
    int32_t value;
    uint8_t how, dtype;
    bool in_registers;
    int16_t stream; /* EXPORT or PARTIAL */
    int8_t reg[16]; /* per piece of the 64 accumulators */
    int32_t slot;   /* frame: the pieces, `step` bytes apart; -1: none */
} kng_sum;

typedef struct kng_way {     /* how a stream is walked */
    int8_t reg;              /* that holds its pointer, -1 none */
    uint8_t shift;           /* log2 of the size of an element */
    int32_t pointer;         /* frame: the running pointer of ANY, or the running number; -1 */
    int32_t table;           /* frame: lane * step for the lanes of all copies, 64 bits each; -1 */
    int32_t step, step_tail; /* frame: what a block of the main loop, of the tail adds to the pointer; -1 */
    uint64_t turns;          /* bit per loop: its turns move the pointer */
    int32_t uses;
} kng_way;

/* The cold regions: per region its first node that is not placed yet; per node the next one; per select its own. */
typedef struct kng_regions {
    int32_t *head, *next, *of_select;
} kng_regions;
/* Stores. All loads of a point come before them, since a written buffer may be the memory of a read one; behind the
 * last load a value is stored as soon as it is known. */
typedef struct kng_stores {
    int32_t *of, *next, *writers; /* per node: its first store; per store: the next one; per buffer: how many */
    KN_VEC(knk_node) waiting;
} kng_stores;

typedef struct kng_low {
    const kng_request *r;
    const knk_kernel *k;
    const knk_inst *node;
    kng_asm *a;
    kng_target target;
    kng_lowered *info;
    kn_arena arena;
    const char *why; /* what does not fit, NULL: all is fine */
    bool no_memory;

    kng_stream *stream;
    bool *second; /* per stream: every second element */
    kng_way *way;
    int n_stream;
    int32_t *value_of; /* per node of the kernel: its value, -1 */
    kng_value *value;
    int n_value;
    int32_t *region; /* per node of the stage (number - first): cold region, 0 none; then per cold select its own */
    uint8_t *flags;  /* per node of the stage: KNG_NODE_... */
    kng_list uniform, body;
    int loads_left; /* of the body, not placed yet */
    bool single;    /* all lanes are one point: a short piece, once */
    kng_loop *loop;
    int n_loop;
    int8_t *level;         /* per node of the stage: the innermost loop that its value depends on, -1 */
    int open;              /* the loop that is being built or emitted, -1 */
    bool counter;          /* some loop has no loops in it */
    KN_VEC(kng_part) part; /* [0] is the body and not used */
    KN_VEC(kng_stub) stub;
    KN_VEC(int32_t) where;
    kng_sum *sum;
    int n_sum;
    kng_form lane_form, row_form, half_form; /* of the lane loop; of uniform values; of 64-bit values */
    int copies, blocks;                      /* a main iteration is `blocks` blocks of `copies` pieces */
    bool groups;                             /* 64 elements per iteration, for the accumulators */

    /* what is being emitted */
    kng_form form;
    int current_part, copy_count, block;
    bool in_tail;
    kng_tail exists;
    int shift; /* what has been pushed since the frame was laid out */
    int position;
    kng_bank bank[2];    /* vectors, masks */
    uint32_t changed[2]; /* registers taken since these were cleared */
    uint32_t avoid[2];   /* registers of carries: others take them last */
    kng_state *state;
    int32_t *pin; /* values that have a register of their own in the main loop */
    int n_pin;
    uint32_t reserved; /* vector registers of accumulators and pins */
    int frame, spill_step;
    KN_VEC(int32_t) free_slot[2];
    int saved_rsp, rows_left, limit, half, result_out, scratch, helper_area, saved_area, result_base, result_bytes;
    int save_area, part_area; /* part_area: what a part reads and leaves */
} kng_low;

static inline bool kng_low_fine(const kng_low *l) { return !l->why && !l->no_memory && !l->a->failed; }
void kng_low_fail(kng_low *l, const char *why);
static inline int kng_low_pieces(const kng_low *l) { return 16 / l->lane_form.lanes; }
static inline int kng_low_sum_step(const kng_low *l) { return l->target == KNG_AVX512 ? 64 : 32; }
static inline int32_t kng_low_word(int stream, size_t member) /* of a stream's words in the arguments */
{
    return (int32_t)(sizeof(kng_args) + (size_t)stream * sizeof(kng_words) + member);
}

/* lower_plan.c */
bool kng_low_plan(kng_low *l); /* values, lists, parts, sums */
static inline const knk_stage *kng_low_stage(const kng_low *l) { return &l->k->stage[l->r->stage]; }
static inline bool kng_low_inside(const kng_low *l, knk_node x)
{
    return x >= kng_low_stage(l)->first && x < kng_low_stage(l)->end;
}
kng_item kng_low_item(kng_low *l, kng_item_kind kind, knk_node x);
void kng_low_push(kng_low *l, kng_list *list, const kng_item *it);
int32_t kng_low_new_value(kng_low *l, knk_node x); /* of its own, not the node's */
int32_t kng_low_value(kng_low *l, knk_node x);
int32_t kng_low_operand(kng_low *l, knk_node x, int part); /* an operand of an item of a part */
void kng_low_place_load(kng_low *l, knk_node x);           /* if it is one and has no place yet */
void kng_low_place_loads(kng_low *l, knk_node x);          /* the operands */
void kng_low_place_node(kng_low *l, knk_node x, const kng_regions *g);
void kng_low_place_export(kng_low *l, knk_node x);
void kng_low_place_store(kng_low *l, knk_node x);
/* lower_loop.c */
void kng_low_find_loops(kng_low *l); /* loops and levels */
bool kng_low_wake_loops(kng_low *l); /* more nodes are alive because of carries: true if so */
void kng_low_build_loops(kng_low *l, const kng_regions *g, kng_stores *s); /* the body of a stage with loops */
void kng_low_loops_planned(kng_low *l);                                    /* when the body is known */
static inline int kng_low_level(const kng_low *l, knk_node x)
{
    return l->n_loop && kng_low_inside(l, x) ? l->level[x - kng_low_stage(l)->first] : -1;
}
/* lower_turn.c */
void kng_low_turn_item(kng_low *l, const kng_item *it, int copy);
/* lower_copies.c */
void kng_low_copies(kng_low *l); /* how many copies; which accumulators, constants and pointers have registers */
void kng_low_pin(kng_low *l, bool on);
/* lower_cold.c */
void kng_low_find_regions(kng_low *l);
void kng_low_cold_test(kng_low *l, const kng_item *it, int copy);
void kng_low_stubs_and_parts(kng_low *l);
/* Bytes of a value that is handed from part to part; one of 64-bit lanes may be longer than a register. */
int kng_low_value_room(const kng_low *l, const kng_part *p, int dtype);
void kng_low_lay_out_parts(kng_low *l); /* their labels and places in the frame */
/* lower_alloc.c */
int kng_low_frame(kng_low *l, int bytes, int align); /* a place in the frame */
static inline kng_operand kng_low_at(const kng_low *l, int offset) { return kng_at(KNG_RSP, offset + l->shift); }
void kng_low_start(kng_low *l, uint32_t reserved); /* empty banks, but for these vector registers */
int kng_low_state(const kng_low *l, int32_t value, int copy);
void kng_low_store_away(kng_low *l, int32_t state);     /* so that it is in memory, too */
void kng_low_forget(kng_low *l, int32_t state);         /* its place in the frame is free */
int kng_low_take(kng_low *l, int bank, int32_t state);  /* a register, locked until the item ends; -1: a temporary */
void kng_low_give(kng_low *l, int bank, int reg);       /* a temporary is free again */
void kng_low_drop(kng_low *l, int32_t state, int bank); /* its register is free */
int kng_low_need(kng_low *l, int32_t value, int copy);  /* its register, loaded if it has none */
int kng_low_define(kng_low *l, const kng_item *it, int copy);
void kng_low_defined(kng_low *l, const kng_item *it, int copy); /* after the last use of operands */
void kng_low_used(kng_low *l, const kng_item *it, int copy);
void kng_low_unlock(kng_low *l);
void kng_low_spill_all(kng_low *l); /* before a call: nothing lives in registers after it */
kng_operand kng_low_memory(kng_low *l, int32_t value, int copy, bool broadcast); /* of a value without a register */
bool kng_low_in_register(const kng_low *l, int32_t value, int copy);
int kng_low_bank_of(const kng_low *l, int32_t value);
/* lower_fuse.c */
void kng_low_find_fusions(kng_low *l); /* marks nodes that their only user absorbs */
bool kng_low_fuse(kng_low *l, knk_node x, kng_item *it, knk_node operand[3]); /* what an item of x reads then */
void kng_low_emit_fused(kng_low *l, const kng_item *it, int dst, const kng_operand src[3]);
/* lower_body.c */
void kng_low_block(kng_low *l, const kng_list *list, int copies);
kng_operand kng_low_element(kng_low *l, int stream, int copy); /* memory of a piece of a stream of class ONE */
int kng_low_pointer(kng_low *l, int stream);                   /* a register that holds its address */
void kng_low_select(kng_low *l, int dtype, int dst, int pred, kng_operand yes, kng_operand no);
void kng_low_end_item(kng_low *l, const kng_item *it, int copy);
int kng_low_exists(const kng_low *l); /* the register that holds which lanes exist, as a bool */
/* lower_reduce.c */
void kng_low_reduce(kng_low *l, const kng_item *it, int copy);
void kng_low_sums_start(kng_low *l, bool registers); /* at the identity, or loaded from PARTIAL */
void kng_low_sums_move(kng_low *l, bool to_memory);  /* those in registers, between these and the frame */
void kng_low_sums_store(kng_low *l);                 /* RUNS: back to PARTIAL */
void kng_low_sums_join(kng_low *l);                  /* ROWS: to EXPORT */
#endif
