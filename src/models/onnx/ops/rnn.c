/* SPDX-License-Identifier: Apache-2.0
 * rnn.c -- RNN, GRU and LSTM. What depends on the inputs alone is one product for all steps; the steps are a scan,
 * which compiles to a loop and is differentiated as one. Sequences that end early keep their state behind their ends;
 * a reverse direction begins at them. */
#include "models/onnx/ops/layers.h"

typedef enum kind { PLAIN, GRU, LSTM } kind;
typedef enum act {
    RELU,
    TANH,
    SIGMOID,
    AFFINE,
    LEAKY_RELU,
    THRESHOLDED_RELU,
    SCALED_TANH,
    HARD_SIGMOID,
    ELU,
    SOFTSIGN,
    SOFTPLUS,
    NO_ACT
} act;
enum { MOST_ACTS = 3, MOST_CARRY = 2 };
enum { CLIPS = 1, LINEAR_FIRST = 2, COUPLED = 4, PEEPS = 8 }; /* flags */

static const struct {
    const char *name;
    float alpha, beta;
    bool has_alpha, has_beta;
} acts[NO_ACT] = {
    [RELU] = {"Relu", 0, 0, false, false},
    [TANH] = {"Tanh", 0, 0, false, false},
    [SIGMOID] = {"Sigmoid", 0, 0, false, false},
    [AFFINE] = {"Affine", 1, 0, true, true},
    [LEAKY_RELU] = {"LeakyRelu", 0.01F, 0, true, false},
    [THRESHOLDED_RELU] = {"ThresholdedRelu", 1, 0, true, false},
    [SCALED_TANH] = {"ScaledTanh", 1, 1, true, true},
    [HARD_SIGMOID] = {"HardSigmoid", 0.2F, 0.5F, true, true},
    [ELU] = {"Elu", 1, 0, true, false},
    [SOFTSIGN] = {"Softsign", 0, 0, false, false},
    [SOFTPLUS] = {"Softplus", 0, 0, false, false},
};

/* What a step captures. A function's constants are arrays: which functions and rules it has is said by the extents of
 * an array without elements (0, functions ..., flags), their parameters are in `numbers` (alphas, betas, clip). */
typedef struct cell {
    kn_array rule, numbers, r, more; /* more: peepholes i, o, f, or GRU's bias behind r h; else without elements */
} cell;
typedef struct element {
    kn_array gates, inside; /* x W' + biases; which sequences go on */
} element;
typedef struct state {
    kn_array h, c;
} state;

/* ---- A step. */

static int rule_of(const cell *v, int i) { return (int)kn_dim(v->rule, 1 + i); }
static int flags_of(const cell *v) { return rule_of(v, MOST_ACTS); }
static kn_array number_of(const cell *v, int i) { return knonnx_sliced(v->numbers, 0, i, i + 1, 1); }

static kn_array clipped(const cell *v, kn_array x)
{
    if (!(flags_of(v) & CLIPS))
        return x;
    kn_array most = number_of(v, 2 * MOST_ACTS);
    return kn_maximum(kn_minimum(x, most), kn_negative(most));
}

static kn_array activated(const cell *v, int i, kn_array x)
{
    kn_array zero = kn_like_int(0), one = kn_like_int(1);
    switch ((act)rule_of(v, i)) {
    case RELU: return kn_maximum(x, zero);
    case TANH: return kn_tanh(x);
    case SIGMOID: return kn_nn_sigmoid(x);
    case SOFTSIGN: return kn_divide(x, kn_add(kn_abs(x), one));
    case SOFTPLUS: return kn_nn_softplus(x);
    default: break;
    }
    kn_array alpha = number_of(v, i), beta = number_of(v, MOST_ACTS + i);
    switch ((act)rule_of(v, i)) {
    case AFFINE: return kn_add(kn_multiply(alpha, x), beta);
    case LEAKY_RELU: return kn_where(kn_less(x, zero), kn_multiply(alpha, x), x);
    case THRESHOLDED_RELU: return kn_where(kn_greater_equal(x, alpha), x, zero);
    case SCALED_TANH: return kn_multiply(alpha, kn_tanh(kn_multiply(beta, x)));
    case HARD_SIGMOID: return kn_clip(kn_add(kn_multiply(alpha, x), beta), zero, one);
    default: /* ELU; the exponential of what is above 0 is not used, and must not be infinite for the derivative */
        return kn_where(kn_less(x, zero), kn_multiply(alpha, kn_expm1(kn_minimum(x, zero))), x);
    }
}

/* The function of a gate, whose operand is clipped; that of LSTM's cell is not, as runtimes have it. */
static kn_array gated(const cell *v, int i, kn_array x) { return activated(v, i, clipped(v, x)); }

/* a b', of matrices. */
static kn_array times(kn_array a, kn_array b)
{
    kn_lax_dot_dimension_numbers numbers = {.lhs_contract = knonnx_one_axis(kn_ndim(a) - 1),
                                            .rhs_contract = knonnx_one_axis(1)};
    return kn_lax_dot_general(a, b, &numbers, NULL);
}

/* Gate i of several that lie side by side. */
static kn_array gate(kn_array gates, int64_t hidden, int i)
{
    return knonnx_sliced(gates, kn_ndim(gates) - 1, i * hidden, (i + 1) * hidden, 1);
}

static state plain_step(const cell *v, state s, kn_array gates)
{
    return (state){gated(v, 0, kn_add(gates, kn_matmul(s.h, v->r))), NULL};
}

static state gru_step(const cell *v, state s, kn_array gates)
{
    int64_t n = kn_dim(v->r, 0);
    bool linear = flags_of(v) & LINEAR_FIRST;
    kn_array first = knonnx_sliced(v->r, 1, 0, 2 * n, 1), last = gate(v->r, n, 2);
    kn_array all = kn_matmul(s.h, linear ? v->r : first);
    kn_array z = gated(v, 0, kn_add(gate(gates, n, 0), gate(all, n, 0)));
    kn_array r = gated(v, 0, kn_add(gate(gates, n, 1), gate(all, n, 1)));
    kn_array by = linear ? kn_multiply(r, kn_add(gate(all, n, 2), v->more)) : kn_matmul(kn_multiply(r, s.h), last);
    kn_array h = gated(v, 1, kn_add(gate(gates, n, 2), by));
    return (state){kn_add(kn_multiply(kn_subtract(kn_like_int(1), z), h), kn_multiply(z, s.h)), NULL};
}

static state lstm_step(const cell *v, state s, kn_array gates)
{
    int64_t n = kn_dim(v->r, 0);
    int flags = flags_of(v);
    kn_array all = kn_add(gates, kn_matmul(s.h, v->r));
    kn_array i = gate(all, n, 0), o = gate(all, n, 1), f = gate(all, n, 2), c = gate(all, n, 3);
    if (flags & PEEPS) {
        i = kn_add(i, kn_multiply(gate(v->more, n, 0), s.c));
        f = kn_add(f, kn_multiply(gate(v->more, n, 2), s.c));
    }
    i = gated(v, 0, i);
    f = flags & COUPLED ? kn_subtract(kn_like_int(1), i) : gated(v, 0, f);
    c = kn_add(kn_multiply(f, s.c), kn_multiply(i, gated(v, 1, c)));
    o = flags & PEEPS ? kn_add(o, kn_multiply(gate(v->more, n, 1), c)) : o;
    return (state){kn_multiply(gated(v, 0, o), activated(v, 2, c)), c};
}

static void step(kind k, bool ends, const cell *v, void *out, const state *s, const element *e)
{
    kn_array *to = out;
    state next = k == LSTM  ? lstm_step(v, *s, e->gates)
                 : k == GRU ? gru_step(v, (state){s->h, NULL}, e->gates)
                            : plain_step(v, (state){s->h, NULL}, e->gates);
    kn_array y = ends ? kn_where(e->inside, next.h, kn_like_int(0)) : next.h;
    next.h = ends ? kn_where(e->inside, next.h, s->h) : next.h;
    *to++ = next.h;
    if (k == LSTM)
        *to++ = ends ? kn_where(e->inside, next.c, s->c) : next.c;
    *to = y;
}

#define STEP(name, kind_, ends_) \
    static void name(const void *env, void *out, const void *const *in) { step(kind_, ends_, env, out, in[0], in[1]); }
STEP(plain_whole, PLAIN, false)
STEP(plain_ends, PLAIN, true)
STEP(gru_whole, GRU, false)
STEP(gru_ends, GRU, true)
STEP(lstm_whole, LSTM, false)
STEP(lstm_ends, LSTM, true)

#define FUNCTION(name_, call_, carry, xs)                                                           \
    {                                                                                               \
        .size_ = sizeof(kn_function), .name = name_, .call = call_, .captured_bytes = sizeof(cell), \
        .out_bytes = ((carry) + 1) * sizeof(kn_array), .n_args = 2, .arg_bytes = {                  \
            (carry) * sizeof(kn_array),                                                             \
            (xs) * sizeof(kn_array)                                                                 \
        }                                                                                           \
    }
static const kn_function steps[][2] = {
    [PLAIN] = {FUNCTION("rnn_step", plain_whole, 1, 1), FUNCTION("rnn_step", plain_ends, 1, 2)},
    [GRU] = {FUNCTION("gru_step", gru_whole, 1, 1), FUNCTION("gru_step", gru_ends, 1, 2)},
    [LSTM] = {FUNCTION("lstm_step", lstm_whole, 2, 1), FUNCTION("lstm_step", lstm_ends, 2, 2)},
};

/* ---- What the node says. */

typedef struct layer {
    kind k;
    int gates, directions, n_acts, flags;
    bool reverse, batch_first;
    double clip;
    act act[2 * MOST_ACTS];
    float alpha[2 * MOST_ACTS], beta[2 * MOST_ACTS];
    kn_array x, w, r, b, lengths, h, c, p; /* with the steps in front; in a dtype to calculate in */
    kn_dtype dtype;
    int64_t hidden;
} layer;

static int find_act(knonnx_call *c, const char *name, act *to)
{
    for (int i = 0; i < NO_ACT; i++) {
        const char *a = acts[i].name, *b = name;
        while (*a && (*a | 32) == (*b | 32))
            a++, b++;
        if (!*a && !*b) {
            *to = (act)i;
            return 0;
        }
    }
    return knonnx_fail(c, KN_ERROR_VALUE, "there is no activation \"%.40s\"", name);
}

/* The functions with their parameters: each list of parameters is used up in order by the functions that take one. */
static int read_acts(knonnx_call *c, layer *l)
{
    static const act usual[][MOST_ACTS] = {[PLAIN] = {TANH}, [GRU] = {SIGMOID, TANH}, [LSTM] = {SIGMOID, TANH, TANH}};
    int n, n_alpha, n_beta, n_all = l->n_acts * l->directions, at_alpha = 0, at_beta = 0;
    const char *const *names = knonnx_texts(c, "activations", &n);
    const float *alpha = knonnx_floats(c, "activation_alpha", &n_alpha);
    const float *beta = knonnx_floats(c, "activation_beta", &n_beta);
    if (names && n < n_all)
        return knonnx_fail(c, KN_ERROR_VALUE, "activations has %d names, and there are %d functions", n, n_all);
    for (int i = 0; i < n_all; i++) {
        l->act[i] = usual[l->k][i % l->n_acts];
        if (names && find_act(c, names[i], &l->act[i]))
            return -1;
        act a = l->act[i];
        l->alpha[i] = acts[a].has_alpha && at_alpha < n_alpha ? alpha[at_alpha++] : acts[a].alpha;
        l->beta[i] = acts[a].has_beta && at_beta < n_beta ? beta[at_beta++] : acts[a].beta;
    }
    return 0;
}

static int read_rules(knonnx_call *c, layer *l)
{
    static const int gates[] = {[PLAIN] = 1, [GRU] = 3, [LSTM] = 4}, functions[] = {[PLAIN] = 1, [GRU] = 2, [LSTM] = 3};
    const char *direction = knonnx_string(c, "direction", "forward");
    if (!direction)
        return -1;
    bool both = !strcmp(direction, "bidirectional");
    l->reverse = !strcmp(direction, "reverse");
    if (!both && !l->reverse && strcmp(direction, "forward"))
        return knonnx_fail(c, KN_ERROR_VALUE, "direction is \"%.40s\"", direction);
    l->directions = both ? 2 : 1;
    l->gates = gates[l->k];
    l->n_acts = functions[l->k];
    l->batch_first = knonnx_int(c, "layout", 0) != 0;
    l->clip = knonnx_float(c, "clip", 0);
    l->flags = (knonnx_given(c, "clip") ? CLIPS : 0) |
               (l->k == GRU && knonnx_int(c, "linear_before_reset", 0) ? LINEAR_FIRST : 0) |
               (l->k == LSTM && knonnx_int(c, "input_forget", 0) ? COUPLED : 0);
    return read_acts(c, l);
}

/* A state (directions, batch, hidden) in this order, zeros where it is absent. */
static kn_array state_of(const layer *l, kn_array given)
{
    kn_array x = given && l->batch_first ? kn_swapaxes(given, 0, 1) : given;
    kn_shape s = {3, {l->directions, kn_dim(l->x, 1), l->hidden}};
    return x ? knonnx_as(x, l->dtype) : knonnx_zeros(&s, l->dtype);
}

static int read_arrays(knonnx_call *c, layer *l)
{
    kn_array x = knonnx_in(c, 0), w = knonnx_in(c, 1), r = knonnx_in(c, 2);
    if (!x || !w || !r)
        return -1;
    kn_shape s = kn_shape_of(w), t = kn_shape_of(r);
    l->dtype = knonnx_work_dtype(kn_dtype_of(x));
    l->hidden = t.ndim == 3 ? t.dim[2] : 0;
    if (kn_ndim(x) != 3 || s.ndim != 3 || t.ndim != 3 || s.dim[0] != l->directions || t.dim[0] != l->directions ||
        s.dim[1] != l->gates * l->hidden || t.dim[1] != s.dim[1] || kn_dim(x, 2) != s.dim[2])
        return knonnx_fail(c, KN_ERROR_VALUE, "X, W and R of shapes that do not fit %d directions with %d gates",
                           l->directions, l->gates);
    l->x = knonnx_as(l->batch_first ? kn_swapaxes(x, 0, 1) : x, l->dtype);
    l->w = knonnx_as(w, l->dtype);
    l->r = knonnx_as(r, l->dtype);
    kn_array b = knonnx_in_or(c, 3, NULL), p = l->k == LSTM ? knonnx_in_or(c, 7, NULL) : NULL;
    l->b = b ? knonnx_as(b, l->dtype) : NULL;
    l->lengths = knonnx_in_or(c, 4, NULL);
    l->h = state_of(l, knonnx_in_or(c, 5, NULL));
    l->c = l->k == LSTM ? state_of(l, knonnx_in_or(c, 6, NULL)) : NULL;
    l->p = p ? knonnx_as(p, l->dtype) : NULL;
    l->flags |= p ? PEEPS : 0;
    return 0;
}

/* ---- A direction. */

static kn_array direction_of(kn_array x, int i)
{
    return kn_squeeze(knonnx_sliced(x, 0, i, i + 1, 1), KNONNX_O(kn_squeeze_opts, .axis = knonnx_one_axis(0)));
}

static cell cell_of(const layer *l, int direction, kn_array b)
{
    cell v;
    kn_shape rule = {MOST_ACTS + 2, {0}};
    double numbers[2 * MOST_ACTS + 1] = {0};
    for (int i = 0; i < l->n_acts; i++) {
        rule.dim[1 + i] = l->act[direction * l->n_acts + i];
        numbers[i] = l->alpha[direction * l->n_acts + i];
        numbers[MOST_ACTS + i] = l->beta[direction * l->n_acts + i];
    }
    rule.dim[1 + MOST_ACTS] = l->flags;
    numbers[2 * MOST_ACTS] = l->clip;
    v.rule = knonnx_zeros(&rule, KN_U8);
    v.numbers = knonnx_as(kn_from_memory(numbers, KNONNX_SHAPE(2 * MOST_ACTS + 1), KN_F64), l->dtype);
    v.r = kn_matrix_transpose(direction_of(l->r, direction)); /* once; few rows are multiplied faster so */
    v.more = l->p ? direction_of(l->p, direction) : knonnx_zeros(KNONNX_SHAPE(l->hidden), l->dtype);
    if (l->k == GRU && b)
        v.more = gate(b, l->hidden, 5);
    return v;
}

/* The biases that are added before the steps: all of them, but for that which GRU multiplies. */
static kn_array bias_of(const layer *l, kn_array b)
{
    int64_t n = l->gates * l->hidden;
    kn_array sum = kn_add(knonnx_sliced(b, 0, 0, n, 1), knonnx_sliced(b, 0, n, 2 * n, 1));
    if (!(l->flags & LINEAR_FIRST))
        return sum;
    return knonnx_joined(0, 2, (kn_array[]){knonnx_sliced(sum, 0, 0, 2 * l->hidden, 1), gate(b, l->hidden, 2)});
}

static int run_direction(const layer *l, int i, kn_array y[MOST_CARRY + 1])
{
    bool lstm = l->k == LSTM, ends = l->lengths;
    size_t carry = lstm ? 2 : 1;
    kn_array b = l->b ? direction_of(l->b, i) : NULL;
    cell v = cell_of(l, i, b);
    element e = {times(l->x, direction_of(l->w, i)), NULL};
    e.gates = b ? kn_add(e.gates, bias_of(l, b)) : e.gates;
    if (ends) {
        kn_array count = kn_reshape(knonnx_counted(kn_dim(l->x, 0), KN_I32), KNONNX_SHAPE(-1, 1, 1), NULL);
        e.inside = kn_less(count, kn_reshape(knonnx_as(l->lengths, KN_I32), KNONNX_SHAPE(1, -1, 1), NULL));
    }
    state s = {direction_of(l->h, i), lstm ? direction_of(l->c, i) : NULL};
    kn_outs outs = {1, {{y, (carry + 1) * sizeof *y}}};
    kn_args init = {1, {{&s, carry * sizeof *y}}}, xs = {1, {{&e, (ends ? 2 : 1) * sizeof *y}}};
    return kn_scan(kn_fn_of(&steps[l->k][ends], &v), &outs, &init, &xs,
                   KNONNX_O(kn_scan_opts, .reverse = l->reverse || i == 1));
}

/* ---- The operators. */

/* What both directions give, beside each other along a new axis. */
static kn_array beside(const layer *l, int axis, kn_array first, kn_array second)
{
    kn_array x[2] = {first, second};
    return kn_stack(kn_list_from(x, l->directions), KNONNX_O(kn_concatenate_opts, .axis = knonnx_one_axis(axis)));
}

static int recurrent(knonnx_call *c, kind k)
{
    layer l = {.k = k};
    kn_array y[2][MOST_CARRY + 1] = {{NULL}};
    if (read_rules(c, &l) || read_arrays(c, &l))
        return -1;
    for (int i = 0; i < l.directions; i++)
        if (run_direction(&l, i, y[i]))
            return knonnx_done(c);
    int last = k == LSTM ? 2 : 1;
    kn_dtype d = kn_dtype_of(knonnx_in(c, 0));
    if (knonnx_wants(c, 0)) {
        kn_array all = beside(&l, 1, y[0][last], y[1][last]);
        all = l.batch_first ? knonnx_permuted(all, 4, (int32_t[]){2, 0, 1, 3}) : all;
        if (knonnx_set(c, 0, knonnx_as(all, d)))
            return -1;
    }
    for (int i = 0; i < last; i++) {
        if (!knonnx_wants(c, 1 + i))
            continue;
        kn_array end = beside(&l, 0, y[0][i], y[1][i]);
        end = l.batch_first ? kn_swapaxes(end, 0, 1) : end;
        if (knonnx_set(c, 1 + i, knonnx_as(end, d)))
            return -1;
    }
    return knonnx_done(c);
}

static int rnn_op(knonnx_call *c) { return recurrent(c, PLAIN); }
static int gru_op(knonnx_call *c) { return recurrent(c, GRU); }
static int lstm_op(knonnx_call *c) { return recurrent(c, LSTM); }

const knonnx_row knonnx_rows_rnn[] = {
    {"RNN", 1, rnn_op, 3, 6, 0, 2},
    {"GRU", 1, gru_op, 3, 6, 0, 2},
    {"LSTM", 1, lstm_op, 3, 8, 0, 3},
    {0},
};
