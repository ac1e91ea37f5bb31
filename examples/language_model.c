/* SPDX-License-Identifier: Apache-2.0
 * language_model.c -- a small transformer learns to write, character by character, from five chapters of Alice in Wonderland: data
 * loader, optimizer with a schedule, checkpoints. The training runs in a child process, which is killed in the middle; what follows goes on
 * from its last checkpoint, and ends with the bits of a run that nobody killed.
 *
 *     language_model [TEXT]           a few seconds: words come, sense does not
 *     language_model TEXT --long      the plan `large`: 2,500 steps, four minutes on two shared cores, loss 0.187. It knows much of the book by
 *                                     heart then, and goes from one of its sentences to another:
 *
 * Alice aloud, addressing nobody in particular. `She'd soon fetch it back!' thought Alice folded at it some wintered roundering
 * and a fall. There were question, and all dripping wet, as it was getting quite crowded with curiose able and thing mice [...]
 * she soon modes of the poor a faar of killing its nothing else to do [...] very suppose Talking of feet in the little golden
 * key, and Alice like to her it, and it said an
 */
#define _GNU_SOURCE
#include <kiln/kiln.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LETTERS = 128 };

typedef struct {
    int layers, width, heads, context, batch, steps, every;
    double rate;
} Plan;
static const Plan small = {2, 64, 4, 64, 16, 450, 25, 8e-3}, large = {3, 128, 4, 96, 16, 2500, 250, 3e-3};

typedef struct {
    kn_array letter, place; /* vectors of the letters and of the places */
    kn_array attend, merge, up,
        down; /* of all layers: queries, keys and values; heads back to vectors; the two of the network */
    kn_array before, between, at_end; /* gains of the norms */
} Model;
KN_FIELDS(Model, letter, place, attend, merge, up, down, before, between, at_end)

static kn_array normal(int number, double scale, kn_shape shape)
{
    return kn_mul(kn_random_normal(kn_random_fold_in(kn_random_key(1), number), shape, .dtype = KN_F32), scale);
}

static Model new_model(const Plan *p)
{
    int64_t n = p->layers, d = p->width, h = p->heads, k = d / h;
    double scale = 1 / sqrt((double)d), deep = scale / sqrt(2.0 * (double)n);
    kn_array ones = kn_ones(KN_SHAPE(n, d), .dtype = KN_F32);
    return (Model){.letter = normal(0, scale, KN_SHAPE(LETTERS, d)),
                   .place = normal(1, scale, KN_SHAPE(p->context, d)),
                   .attend = normal(2, scale, KN_SHAPE(n, d, 3, h, k)),
                   .merge = normal(3, deep, KN_SHAPE(n, h, k, d)),
                   .up = normal(4, scale, KN_SHAPE(n, d, 4 * d)),
                   .down = normal(5, deep / 2, KN_SHAPE(n, 4 * d, d)),
                   .before = ones,
                   .between = kn_copy(ones),
                   .at_end = kn_ones(KN_SHAPE(d), .dtype = KN_F32)};
}

static kn_array normed(kn_array x, kn_array gain)
{
    kn_array square = kn_mean(kn_square(x), KN_AXIS(-1), .keepdims = true);
    return kn_mul(kn_mul(x, kn_lax_rsqrt(kn_add(square, 1e-5))), gain);
}

/* The logits of the next letter behind each place: (batch, places, LETTERS). */
static kn_array logits(const Model *m, const kn_array *text)
{
    int64_t layers = kn_shape_of(m->up).dim[0], places = kn_shape_of(*text).dim[1];
    kn_array x = kn_add(kn_take(m->letter, *text, KN_AXIS(0)), kn_at(m->place, ":%", places));
    for (int i = 0; i < layers; i++) {
        kn_array y = normed(x, kn_at(m->before, "%", i));
        kn_array qkv = kn_einsum("btd,dchk->cbthk", y, kn_at(m->attend, "%", i));
        kn_array mixed =
            kn_nn_dot_product_attention(kn_at(qkv, "0"), kn_at(qkv, "1"), kn_at(qkv, "2"), .is_causal = true);
        x = kn_add(x, kn_einsum("bthk,hkd->btd", mixed, kn_at(m->merge, "%", i)));
        y = kn_matmul(normed(x, kn_at(m->between, "%", i)), kn_at(m->up, "%", i));
        x = kn_add(x, kn_matmul(kn_nn_gelu(y), kn_at(m->down, "%", i)));
    }
    return kn_einsum("btd,vd->btv", normed(x, m->at_end), m->letter);
}
KN_FUNCTION(logits, kn_array, Model, kn_array)

/* Of windows of one letter more than there are places. */
static kn_array loss(const Model *m, const kn_array *window)
{
    kn_array text = kn_at(*window, ":, :-1");
    return kn_mean(kn_optim_softmax_cross_entropy_with_integer_labels(logits(m, &text), kn_at(*window, ":, 1:")));
}
KN_FUNCTION(loss, kn_array, Model, kn_array)

/* ---- The text. */

typedef struct {
    unsigned char *letter;
    int64_t n;
    int context;
} Text;

/* Example i: the letters from i on. */
static kn_tree window(void *env, int64_t i)
{
    const Text *t = env;
    kn_array letters = kn_wrap(t->letter + i, KN_SHAPE(t->context + 1), KN_U8, .readonly = true);
    return kn_tree_leaf(kn_astype(letters, KN_I32));
}

static Text read_text(const char *path, int context)
{
    Text t = {.context = context};
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    t.n = ftell(f);
    rewind(f);
    t.letter = malloc((size_t)t.n + 1);
    t.n = (int64_t)fread(t.letter, 1, (size_t)t.n, f);
    for (int64_t i = 0; i < t.n; i++)
        t.letter[i] &= LETTERS - 1;
    fclose(f);
    return t;
}

/* ---- Training. */

/* From the latest checkpoint in the folder, or from the start, to the end: the model, and the loss of the last steps. */
static Model train(const Plan *p, Text *text, const char *folder, double *last)
{
    Model m = new_model(p);
    kn_tree model = KN_TREE(&m, Model);
    kn_schedule rate =
        kn_optim_warmup_cosine_decay_schedule(0, p->rate, p->steps / 20, p->steps, .end_value = p->rate / 20);
    kn_optimizer o = kn_optim_chain(kn_optim_clip_by_global_norm(1),
                                    kn_optim_adamw(.learning_rate_schedule = rate, .b2 = 0.98, .weight_decay = 0.1));
    kn_tree state = kn_optim_init(o, model);
    kn_loader loader = kn_loader_of(text->n - p->context - 1, window, text, .batch_size = p->batch, .epochs = 0,
                                    .drop_remainder = true, .key = kn_random_key(2), .workers = 1);
    kn_checkpoint_manager run = kn_checkpoint_manager_new(folder, .keep = 2, .every = p->every, .in_background = true);
    kn_array mean = kn_keep(kn_zeros(KN_SHAPE(), .dtype = KN_F32));
    int64_t step = kn_checkpoint_manager_latest(run);
    if (step > 0) {
        kn_tree all = kn_checkpoint_manager_restore(run);
        kn_tree_assign(model, kn_tree_sub(all, "model"));
        kn_tree_assign(state, kn_tree_sub(all, "optimizer"));
        kn_loader_restore(loader, kn_tree_sub(all, "loader"));
        kn_assign(&mean, kn_tree_at(all, "mean"));
    }
    kn_fn slope = kn_jit(kn_value_and_grad(KN_FN(loss)));
    for (step = step > 0 ? step : 0; step < p->steps && !kn_error_pending(); step++) {
        KN_SCOPE;
        Model grad;
        kn_array value, batch = kn_tree_get(kn_loader_next(loader), 0);
        kn_call(slope, KN_OUT(&value, &grad), &m, &batch);
        kn_optim_apply(o, &state, model, KN_TREE(&grad, Model));
        kn_assign(&mean, kn_add(kn_mul(mean, step ? 0.95 : 0.0), kn_mul(value, step ? 0.05 : 1.0)));
        kn_tree all = kn_tree_dict("model", model, "optimizer", state, "loader", kn_loader_state(loader), "mean", mean);
        kn_checkpoint_manager_save(run, step + 1, all);
        if (p == &large && (step + 1) % p->every == 0)
            kn_printf("step %d: loss %.3f\n", (int)step + 1, mean);
    }
    kn_checkpoint_manager_wait(run);
    *last = kn_item(mean);
    return m;
}

/* In a process of its own, which is killed when it has written a checkpoint or two. */
static void train_and_be_killed(const Plan *p, Text *text, const char *folder)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        double last;
        kn_scope scope = kn_scope_begin();
        train(p, text, folder, &last);
        kn_scope_end(&scope);
        _exit(kn_error_pending());
    }
    char checkpoint[256];
    snprintf(checkpoint, sizeof checkpoint, "%s/%d/manifest.json", folder, p->steps / 2 / p->every * p->every);
    int status = 0;
    while (access(checkpoint, F_OK) != 0 && waitpid(child, &status, WNOHANG) == 0)
        usleep(1000);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    puts("killed in the middle; going on from the last checkpoint");
}

/* ---- Writing. */

/* The next letter, drawn from the model's distribution, a little sharpened. */
static kn_array next(const Model *m, const kn_array *text, const kn_array *at, const kn_array *key)
{
    kn_array all = logits(m, text), here = kn_at(all, "0, %", *at);
    return kn_random_categorical(*key, kn_div(here, 0.6));
}
KN_FUNCTION(next, kn_array, Model, kn_array, kn_array, kn_array)

static void write_on(const Model *m, int context, const char *begin, int n)
{
    KN_SCOPE;
    kn_fn draw = kn_jit(KN_FN(next));
    int32_t seen[512] = {0};
    int length = 0;
    for (; begin[length]; length++)
        seen[length] = begin[length];
    fputs(begin, stdout);
    for (int i = 0; i < n; i++) {
        KN_SCOPE;
        kn_array text = kn_from(seen, KN_SHAPE(1, context)), at = kn_num(length - 1), letter;
        kn_array key = kn_random_fold_in(kn_random_key(3), i);
        kn_call(draw, &letter, m, &text, &at, &key);
        if (length == context)
            memmove(seen, seen + 1, (size_t)--length * sizeof *seen);
        seen[length++] = (int32_t)kn_item_int(letter);
        putchar(seen[length - 1]);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    const Plan *p = argc > 2 && !strcmp(argv[2], "--long") ? &large : &small;
    Text text = read_text(argc > 1 ? argv[1] : "data/alice.txt", p->context);
    char folder[] = "/tmp/language-model-XXXXXX", command[64];
    double last = NAN;
    if (!mkdtemp(folder))
        return 1;
    train_and_be_killed(p, &text, folder);
    Model m = train(p, &text, folder, &last);
    printf("loss %.3f (by chance: %.3f)\n", last, log(LETTERS));
    write_on(&m, p->context, "Alice ", p == &large ? 600 : 200);
    snprintf(command, sizeof command, "rm -r %s", folder);
    int left = system(command);
    free(text.letter);
    return kn_finish() || left;
}
