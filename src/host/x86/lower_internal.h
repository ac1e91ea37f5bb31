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
    KNH_COPIES = 4,      /* at most so many copies are interleaved */
    KNH_NEVER = 1 << 30, /* position of a use that there is not */
    KNH_FRAME_LIMIT = 64 * 1024,
    KNH_POINTERS = 8, /* streams whose pointers live in registers */
    KNH_BODY = 0,     /* number of the part that the lane loop is */
    KNH_ROW = -1,     /* and of what is worked out once per row */
    KNH_ASK_AREA = 34 * 64 /* bytes of all registers that a call does not keep: vectors, masks, others */
};
/* General-purpose registers: RDI the arguments, RAX the element number, RCX the last start of the main loop or how many
 * lanes exist; RDX, RSI, R11 are lent to the emitter; R10 holds an address for a moment. */

/* Loops (lower_loop.c, lower_turn.c): R15 counts the turns of a loop without loops in it, down to 0 or to where it is
 * time to ask (stage.h); the counts of others are in the frame. */
enum { KNH_COUNTER = KNH_R15 };

enum {
    KNH_NODE_LIVE = 1,
    KNH_NODE_UNIFORM = 2,
    KNH_NODE_PLACED = 4,
    KNH_NODE_EXPORTED = 8,
    KNH_NODE_ABSORBED = 16,
    KNH_NODE_SHORT = 32 /* INDEX: nobody reads more than its low 32 bits, which are what it is then */
};
typedef enum knh_value_kind { KNH_VALUE_CONSTANT, KNH_VALUE_UNIFORM, KNH_VALUE_LANE } knh_value_kind;
typedef struct knh_value {
    knk_node node;
    uint8_t dtype, kind;
    bool mask;               /* lives in a mask register */
    bool folds;              /* a load that is a memory operand of its one user in the main loop */
    bool homed;              /* UNIFORM: lanes read it */
    int16_t part;            /* which part works it out: KNH_BODY, KNH_ROW or a cold one */
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
    int8_t seat[KNH_COPIES]; /* carry: its register at the start of turns, -1 */
    int8_t pool_lanes;       /* CONSTANT: for how many lanes the operands below are */
    bool has_one, has_all;
    knh_operand one, all;
} knh_value;

/* One value of one copy; values that all copies share have only copy 0. */
typedef struct knh_state {
    int32_t next; /* position of its next use */
    int32_t slot; /* place in the frame, -1: none */
    int8_t reg;   /* -1: none */
    bool pinned, folded;
} knh_state;

typedef enum knh_fusion { KNH_FUSE_NONE, KNH_FUSE_LOGIC, KNH_FUSE_TEST, KNH_FUSE_FMA, KNH_FUSE_ROTATE } knh_fusion;
typedef enum knh_item_kind {
    KNH_ITEM_OP,
    KNH_ITEM_LOAD,
    KNH_ITEM_INDEX,
    KNH_ITEM_IMPORT,
    KNH_ITEM_STORE,
    KNH_ITEM_REDUCE,
    KNH_ITEM_COLD,  /* does any lane need a cold part? */
    KNH_ITEM_USE,   /* nothing but uses: what cold parts read lives until here; what turns of a loop read, too */
    KNH_ITEM_LOOP,  /* before the carries of loop `number` */
    KNH_ITEM_CARRY, /* def: a carry, which begins as the use */
    KNH_ITEM_ONES,  /* def: true for all lanes */
    KNH_ITEM_TOP,   /* where turns begin */
    KNH_ITEM_WHILE, /* def, if any: all uses are true. Does any lane go on? */
    KNH_ITEM_KEEP,  /* def: where the first use is true the second, else the third */
    KNH_ITEM_COPY,  /* def: the use */
    KNH_ITEM_END    /* the next turn, or the end of the loop */
} knh_item_kind;
typedef struct knh_item {
    uint8_t kind, n_use;
    int16_t stream, part; /* LOAD, STORE, INDEX, IMPORT; COLD */
    knk_node node;
    int32_t use[3], next[3]; /* values, and where each is used next after this item */
    int32_t def, first;      /* value, and where it is used first */
    int32_t number;          /* REDUCE: which one; of loops: which loop */
    int32_t index;           /* LOAD of adjacent lanes: a value that is the same for all of them is added; -1 */
    uint8_t fused;           /* knh_fusion; the operands are then those of the absorbed nodes, too */
    uint8_t how;             /* LOGIC: truth table; TEST: 1 for equality; FMA: 1 the product, 2 the addend is negated;
                                ROTATE: to the left, so many bits */
    knh_needs needs;
} knh_item;
typedef struct knh_list {
    KN_VEC(knh_item) item;
    int live, live_masks, temps; /* the most lane values (per copy) that are alive at once; temporaries */
    bool helper, call;           /* has operations that call the interpreter's loops */
} knh_list;

typedef struct knh_part {
    knh_list list;
    bool row; /* of the row's list, not of the lane loop's */
    knh_form form;
    int32_t *input; /* values */
    int n_input;
    int label;
    uint32_t changes[2]; /* registers that it does not keep: vectors, masks */
} knh_part;
/* Way from the body to a cold part and back. */
typedef struct knh_stub {
    int16_t part;
    int8_t copy;
    int label, back;
    int32_t at;       /* in `where`: per input the register (>= 0) or -1 - place in the frame */
    uint32_t live[2]; /* registers in use: vectors, masks */
} knh_stub;

typedef struct knh_carry {
    knk_node node, value; /* CARRY, and the operand of its NEXT */
    int32_t is, next;     /* values; next: what it is in the next turn, -1: it does not change */
    int32_t after;        /* position of its first use after the loop */
} knh_carry;
typedef struct knh_loop {
    knk_node begin, end, test;        /* LOOP, END, WHILE (-1: none) */
    int outer, depth;                 /* the loop that it lies in, -1; in how many it lies */
    bool live, inner, stores, sticky; /* inner: it has loops in it; sticky: its WHILE may come true again */
    bool helper;                      /* calls in it: no register lives through a turn */
    KN_VEC(knh_carry) carry;          /* those that are alive */
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
    int again_label, done_label; /* where it asks; behind the end, where all turns are made or there was none */
} knh_loop;

/* Where a loop asks whether to go on. */
typedef struct knh_question {
    int label, back; /* back: to where turns begin; of a loop with loops in it to where it came from */
    int again;       /* all turns are made that could be without asking; of a loop with loops in it -1 */
} knh_question;

typedef struct knh_bank { /* the registers of one kind */
    uint32_t free, lock, usable;
    int32_t holds[32]; /* state, or -1 */
} knh_bank;

typedef struct knh_sum { /* one reduction */
    int32_t value;
    uint8_t how, dtype;
    bool in_registers;
    int16_t stream; /* EXPORT or PARTIAL */
    int8_t reg[16]; /* per piece of the 64 accumulators */
    int32_t slot;   /* frame: the pieces, `step` bytes apart; -1: none */
} knh_sum;

typedef struct knh_way {     /* how a stream is walked */
    int8_t reg;              /* that holds its pointer, -1 none */
    uint8_t shift;           /* log2 of the size of an element */
    int32_t pointer;         /* frame: the running pointer of ANY, or the running number; -1 */
    int32_t table;           /* frame: lane * step for the lanes of all copies, 64 bits each; -1 */
    int32_t step, step_tail; /* frame: what a block of the main loop, of the tail adds to the pointer; -1 */
    uint64_t turns;          /* bit per loop: its turns move the pointer */
    int32_t uses;
} knh_way;

/* The cold regions: per region its first node that is not placed yet; per node the next one; per select its own. */
typedef struct knh_regions {
    int32_t *head, *next, *of_select;
} knh_regions;
/* Stores. All loads of a point come before them, since a written buffer may be the memory of a read one; behind the
 * last load a value is stored as soon as it is known. */
typedef struct knh_stores {
    int32_t *of, *next, *writers; /* per node: its first store; per store: the next one; per buffer: how many */
    KN_VEC(knk_node) waiting;
} knh_stores;

typedef struct knh_low {
    const knh_request *r;
    const knk_kernel *k;
    const knk_inst *node;
    knh_asm *a;
    knh_target target;
    knh_lowered *info;
    knx_arena arena;
    const char *why; /* what does not fit, NULL: all is fine */
    bool no_memory;

    knh_stream *stream;
    int8_t *near; /* per stream: its near step; 0: it has none */
    knh_way *way;
    int n_stream;
    int32_t *value_of; /* per node of the kernel: its value, -1 */
    knh_value *value;
    int n_value;
    int32_t *region; /* per node of the stage (number - first): cold region, 0 none; then per cold select its own */
    uint8_t *flags;  /* per node of the stage: KNH_NODE_... */
    knh_list uniform, body;
    int loads_left; /* of the body, not placed yet */
    bool single;    /* all lanes are one point: a short piece, once */
    knh_loop *loop;
    int n_loop;
    int8_t *level;         /* per node of the stage: the innermost loop that its value depends on, -1 */
    int open;              /* the loop that is being built or emitted, -1 */
    bool counter;          /* some loop has no loops in it */
    KN_VEC(knh_part) part; /* [0] is the body and not used */
    KN_VEC(knh_stub) stub;
    KN_VEC(int32_t) where;
    KN_VEC(knh_question) question;
    int ask_label, out_label; /* asks; leaves the function */
    knh_sum *sum;
    int n_sum;
    knh_form lane_form, row_form, half_form; /* of the lane loop; of uniform values; of 64-bit values */
    int copies, blocks;                      /* a main iteration is `blocks` blocks of `copies` pieces */
    bool groups;                             /* 64 elements per iteration, for the accumulators */

    /* what is being emitted */
    knh_form form;
    int current_part, copy_count, block;
    bool in_tail;
    knh_tail exists;
    int shift; /* what has been pushed since the frame was laid out */
    int position;
    knh_bank bank[2];    /* vectors, masks */
    uint32_t changed[2]; /* registers taken since these were cleared */
    uint32_t avoid[2];   /* registers of carries: others take them last */
    knh_state *state;
    int32_t *pin; /* values that have a register of their own in the main loop */
    int n_pin;
    uint32_t reserved; /* vector registers of accumulators and pins */
    int frame, spill_step;
    KN_VEC(int32_t) free_slot[2];
    int saved_rsp, rows_left, limit, half, result_out, scratch, helper_area, saved_area, result_base, result_bytes;
    int save_area, part_area; /* part_area: what a part reads and leaves */
    int ask_area;             /* all registers that a call does not keep */
} knh_low;

static inline bool knh_low_fine(const knh_low *l) { return !l->why && !l->no_memory && !l->a->failed; }
void knh_low_fail(knh_low *l, const char *why);
static inline int knh_low_pieces(const knh_low *l) { return 16 / l->lane_form.lanes; }
static inline int knh_low_sum_step(const knh_low *l) { return l->target == KNH_AVX512 ? 64 : 32; }
static inline int32_t knh_low_word(int stream, size_t member) /* of a stream's words in the arguments */
{
    return (int32_t)(sizeof(knh_args) + (size_t)stream * sizeof(knh_words) + member);
}

/* lower_plan.c */
bool knh_low_plan(knh_low *l); /* values, lists, parts, sums */
static inline const knk_stage *knh_low_stage(const knh_low *l) { return &l->k->stage[l->r->stage]; }
static inline bool knh_low_inside(const knh_low *l, knk_node x)
{
    return x >= knh_low_stage(l)->first && x < knh_low_stage(l)->end;
}
knh_item knh_low_item(knh_low *l, knh_item_kind kind, knk_node x);
void knh_low_push(knh_low *l, knh_list *list, const knh_item *it);
int32_t knh_low_new_value(knh_low *l, knk_node x); /* of its own, not the node's */
int32_t knh_low_value(knh_low *l, knk_node x);
int32_t knh_low_operand(knh_low *l, knk_node x, int part); /* an operand of an item of a part */
void knh_low_place_load(knh_low *l, knk_node x);           /* if it is one and has no place yet */
void knh_low_place_loads(knh_low *l, knk_node x);          /* the operands */
void knh_low_place_node(knh_low *l, knk_node x, const knh_regions *g);
void knh_low_place_export(knh_low *l, knk_node x);
void knh_low_place_store(knh_low *l, knk_node x);
/* lower_loop.c */
void knh_low_find_loops(knh_low *l); /* loops and levels */
bool knh_low_wake_loops(knh_low *l); /* more nodes are alive because of carries: true if so */
void knh_low_build_loops(knh_low *l, const knh_regions *g, knh_stores *s); /* the body of a stage with loops */
void knh_low_loops_planned(knh_low *l);                                    /* when the body is known */
static inline int knh_low_level(const knh_low *l, knk_node x)
{
    return l->n_loop && knh_low_inside(l, x) ? l->level[x - knh_low_stage(l)->first] : -1;
}
/* lower_turn.c */
void knh_low_turn_item(knh_low *l, const knh_item *it, int copy);
void knh_low_questions(knh_low *l); /* what loops jump to when it is time to ask */
/* lower_copies.c */
void knh_low_copies(knh_low *l); /* how many copies; which accumulators, constants and pointers have registers */
void knh_low_pin(knh_low *l, bool on);
/* lower_cold.c */
void knh_low_find_regions(knh_low *l);
void knh_low_cold_test(knh_low *l, const knh_item *it, int copy);
void knh_low_stubs_and_parts(knh_low *l);
/* Bytes of a value that is handed from part to part; one of 64-bit lanes may be longer than a register. */
int knh_low_value_room(const knh_low *l, const knh_part *p, int dtype);
void knh_low_lay_out_parts(knh_low *l); /* their labels and places in the frame */
/* lower_alloc.c */
int knh_low_frame(knh_low *l, int bytes, int align); /* a place in the frame */
static inline knh_operand knh_low_at(const knh_low *l, int offset) { return knh_at(KNH_RSP, offset + l->shift); }
void knh_low_start(knh_low *l, uint32_t reserved); /* empty banks, but for these vector registers */
int knh_low_state(const knh_low *l, int32_t value, int copy);
void knh_low_store_away(knh_low *l, int32_t state);     /* so that it is in memory, too */
void knh_low_forget(knh_low *l, int32_t state);         /* its place in the frame is free */
int knh_low_take(knh_low *l, int bank, int32_t state);  /* a register, locked until the item ends; -1: a temporary */
void knh_low_give(knh_low *l, int bank, int reg);       /* a temporary is free again */
void knh_low_drop(knh_low *l, int32_t state, int bank); /* its register is free */
int knh_low_need(knh_low *l, int32_t value, int copy);  /* its register, loaded if it has none */
int knh_low_define(knh_low *l, const knh_item *it, int copy);
void knh_low_defined(knh_low *l, const knh_item *it, int copy); /* after the last use of operands */
void knh_low_used(knh_low *l, const knh_item *it, int copy);
void knh_low_unlock(knh_low *l);
void knh_low_spill_all(knh_low *l); /* before a call: nothing lives in registers after it */
knh_operand knh_low_memory(knh_low *l, int32_t value, int copy, bool broadcast); /* of a value without a register */
bool knh_low_in_register(const knh_low *l, int32_t value, int copy);
int knh_low_bank_of(const knh_low *l, int32_t value);
/* lower_fuse.c */
void knh_low_find_fusions(knh_low *l); /* marks nodes that their only user absorbs */
bool knh_low_fuse(knh_low *l, knk_node x, knh_item *it, knk_node operand[3]); /* what an item of x reads then */
void knh_low_emit_fused(knh_low *l, const knh_item *it, int dst, const knh_operand src[3]);
/* lower_body.c */
void knh_low_block(knh_low *l, const knh_list *list, int copies);
knh_operand knh_low_element(knh_low *l, int stream, int copy); /* memory of a piece of a stream of class ONE */
int knh_low_pointer(knh_low *l, int stream);                   /* a register that holds its address */
void knh_low_select(knh_low *l, int dtype, int dst, int pred, knh_operand yes, knh_operand no);
void knh_low_end_item(knh_low *l, const knh_item *it, int copy);
int knh_low_exists(const knh_low *l); /* the register that holds which lanes exist, as a bool */
/* lower_reduce.c */
void knh_low_reduce(knh_low *l, const knh_item *it, int copy);
void knh_low_sums_start(knh_low *l, bool registers); /* at the identity, or loaded from PARTIAL */
void knh_low_sums_move(knh_low *l, bool to_memory);  /* those in registers, between these and the frame */
void knh_low_sums_store(knh_low *l);                 /* RUNS: back to PARTIAL */
void knh_low_sums_join(knh_low *l);                  /* ROWS: to EXPORT */
#endif
