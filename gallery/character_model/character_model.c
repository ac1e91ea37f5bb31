/* SPDX-License-Identifier: Apache-2.0
 * character_model.c -- a recurrent network learns a nursery rhyme letter by letter, and then recites it. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 28, HIDDEN = 64, LENGTH = 64, BATCH = 32, STEPS = 240, RECITED = 361 /* the last verse */, TOLD = 19 };

/* "The House That Jack Built": each verse has all lines of the verse before. */
static const char *const lines[] = {"the house that jack built",
                                    "the malt that lay in",
                                    "the rat that ate",
                                    "the cat that killed",
                                    "the dog that worried",
                                    "the cow with the crumpled horn that tossed",
                                    "the maiden all forlorn that milked",
                                    "the man all tattered and torn that kissed",
                                    "the priest all shaven and shorn that married",
                                    "the rooster that crowed in the morn that woke",
                                    "the farmer sowing his corn that kept"};
enum { VERSES = sizeof lines / sizeof lines[0] };

static int letter(char c) { return c == ' ' ? 0 : c == '\n' ? 1 : c - 'a' + 2; }
static char character(int64_t i) { return (char)(i == 0 ? ' ' : i == 1 ? '\n' : i + 'a' - 2); }
static kn_array rhyme(void) /* as numbers of letters */
{
    static char text[8192];
    for (int verse = 0; verse < VERSES; verse++) {
        strcat(text, "this is ");
        for (int i = verse; i >= 0; i--)
            strcat(strcat(text, lines[i]), "\n");
    }
    size_t n = strlen(text);
    int32_t numbers[sizeof text];
    for (size_t i = 0; i < n; i++)
        numbers[i] = letter(text[i]);
    return kn_from(numbers, KN_SHAPE((int64_t)n));
}

/* A gated recurrent unit, and how likely it takes each letter to be next. */
typedef struct {
    kn_array input, gates, gate_bias, recall, recall_bias, out, out_bias;
} Net;
typedef struct {
    kn_array state, guess;
} Read;
static Read read_letter(const Net *net, const kn_array *h, const kn_array *x)
{
    kn_array in = kn_take(net->input, *x, KN_AXIS(0)), gates = kn_add(kn_matmul(*h, net->gates), net->gate_bias);
    kn_array reset = kn_nn_sigmoid(kn_add(kn_at(in, "..., :%", HIDDEN), kn_at(gates, "..., :%", HIDDEN)));
    kn_array update = kn_nn_sigmoid(kn_add(kn_at(in, "..., %:%", HIDDEN, 2 * HIDDEN), kn_at(gates, "..., %:", HIDDEN)));
    kn_array own = kn_add(kn_matmul(*h, net->recall), net->recall_bias);
    kn_array fresh = kn_tanh(kn_add(kn_at(in, "..., %:", 2 * HIDDEN), kn_mul(reset, own)));
    kn_array next = kn_add(fresh, kn_mul(update, kn_sub(*h, fresh)));
    return (Read){next, kn_add(kn_matmul(next, net->out), net->out_bias)};
}
KN_CLOSURE(read_letter, Read, Net, kn_array, kn_array)

/* text (LENGTH + 1, n): the mean surprise at each next letter, the first eight of a piece aside. */
static kn_array loss(const Net *net, const kn_array *text)
{
    kn_array seen = kn_at(*text, ":-1"), next = kn_at(*text, "9:"),
             blank = kn_zeros(KN_SHAPE(kn_dim(seen, 1), HIDDEN), .dtype = KN_F32);
    Read out;
    kn_scan(KN_CLOSE(read_letter, net), &out, &blank, &seen);
    return kn_mean(kn_optim_softmax_cross_entropy_with_integer_labels(kn_at(out.guess, "8:"), next));
}
KN_FUNCTION(loss, kn_array, Net, kn_array)

/* The network reads what it wrote: the likeliest letter is the next input. */
typedef struct {
    kn_array h, x;
} Pen;
typedef struct {
    Pen pen;
    kn_array written;
} Stroke;
static Stroke write_letter(const Net *net, const Pen *pen)
{
    Read r = read_letter(net, &pen->h, &pen->x);
    kn_array x = kn_astype(kn_argmax(r.guess), KN_I32);
    return (Stroke){{r.state, x}, x};
}
KN_CLOSURE(write_letter, Stroke, Net, Pen)

static kn_array weights(int seed, int in, int out)
{
    kn_array normal = kn_random_normal(kn_random_fold_in(kn_random_key(7), seed), KN_SHAPE(in, out), .dtype = KN_F32);
    return kn_mul(normal, sqrt(1.0 / in));
}
static kn_array zeros(int n) { return kn_zeros(KN_SHAPE(n), .dtype = KN_F32); }

/* Bits a letter that counting takes: how often each letter follows each other one. */
static double by_pairs(kn_array text)
{
    kn_array pairs = kn_zeros(KN_SHAPE(LETTERS, LETTERS));
    kn_ufunc_at(kn_ufunc_add, pairs, 1, "%, %", kn_at(text, ":-1"), kn_at(text, "1:"));
    kn_array p = kn_div(pairs, kn_sum(pairs)), first = kn_sum(p, KN_AXIS(1));
    return kn_item(kn_div(kn_sub(kn_sum(kn_special_entr(p)), kn_sum(kn_special_entr(first))), kn_log(2.0)));
}

int main(void)
{
    KN_SCOPE;
    kn_array text = rhyme(), bits = kn_zeros(KN_SHAPE(STEPS)),
             offsets = kn_expand_dims(kn_arange(0, LENGTH + 1, 1), KN_AXIS(1));
    Net net = {weights(1, LETTERS, 3 * HIDDEN),
               weights(2, HIDDEN, 2 * HIDDEN),
               zeros(2 * HIDDEN),
               weights(3, HIDDEN, HIDDEN),
               zeros(HIDDEN),
               weights(4, HIDDEN, LETTERS),
               zeros(LETTERS)};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    kn_optimizer adam = kn_optim_chain(kn_optim_clip_by_global_norm(1), kn_optim_adam(.learning_rate = 1e-2));
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));
    for (int i = 0; i < STEPS && !kn_error_pending(); i++) {
        KN_SCOPE;
        kn_array from = kn_random_randint(kn_random_key(i), KN_SHAPE(BATCH), 0, kn_size(text) - LENGTH - 1), value;
        kn_array pieces = kn_take(text, kn_add(from, offsets));
        Net slope;
        kn_call(step, KN_OUT(&value, &slope), &net, &pieces);
        kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&slope));
        kn_set_at(bits, kn_div(value, kn_log(2.0)), "%", i);
    }
    kn_printf("%d letters; %.2f bits a letter by pairs, %.2f at first, %.2f at the end\n\n", kn_size(text),
              by_pairs(text), kn_at(bits, "0"), kn_mean(kn_at(bits, "-20:")));

    /* It is told how the last verse begins, and goes on by itself. */
    kn_array verse = kn_at(text, "%:", -RECITED), told = kn_at(verse, ":%", TOLD), blank = zeros(HIDDEN);
    Read begun;
    Stroke s;
    kn_scan(KN_CLOSE(read_letter, &net), &begun, &blank, &told);
    Pen pen = {begun.state, kn_astype(kn_argmax(kn_at(begun.guess, "-1")), KN_I32)};
    kn_scan(KN_CLOSE(write_letter, &net), &s, &pen, KN_NOTHING, .length = RECITED - TOLD - 1);
    kn_array recited = kn_concatenate(KN_LIST(told, kn_expand_dims(pen.x, KN_AXIS(0)), s.written));
    for (int i = 0; i < RECITED && !kn_error_pending(); i++)
        putchar(character(kn_item_int(recited, i)));
    kn_printf("\n%d of %d letters after \"this is the farmer\" are right\n",
              kn_sub(kn_sum(kn_equal(recited, verse)), TOLD), RECITED - TOLD);
    kn_plot p = kn_plot_new(.title = "A network learns a nursery rhyme", .xlabel = "step", .ylabel = "bits a letter",
                            .ylim = {0, 5});
    kn_plot_line(p, KN_NONE, bits, .label = "network");
    kn_plot_hline(p, by_pairs(text), .label = "by pairs of letters");
    kn_plot_save(p, "character_model.png", .scale = 1);
    return kn_finish();
}
