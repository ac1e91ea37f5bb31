/* SPDX-License-Identifier: Apache-2.0
 * gradients.c -- derivatives of trained models in ONNX's format, by inputs of floats and by all weights, along random
 * directions, beside differences of values.
 * usage: gradients FOLDER     with NAME.onnx and NAME.npz of scripts/models.py; without them it ends with status 77
 *
 * The models compute in float32: a number L of their outputs has an error of some 1e-7 of what is summed, and a difference over
 * 2h that divided by h. Where h is large, higher derivatives show (and where a rectifier bends), where it is small, rounding. So
 * h is halved from step to step, and the step that agrees best with its neighbour is taken, which knows nothing of the
 * derivative. It must be within 1e-2 of it: along a random direction a rule that is wrong, or left out, differs by far more.
 * Forward and reverse mode, which need no difference, must agree within 1e-4. (basic_pitch is no model for this: the logarithm
 * of its quietest band, from which it subtracts, bends within steps of 1e-6.) */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { STEPS = 11, MOST = 8 };

/* What is not differentiated: the model, and its inputs of integers. */
static struct {
    kn_fn model;
    kn_onnx handle;
    kn_array whole[MOST];
} now;

/* All outputs times fixed numbers, summed in float64. floats: the inputs that are floats, in their order. */
static kn_array loss(const kn_tree *params, const kn_tree *floats)
{
    kn_tree_item item[MOST];
    kn_tree out;
    int n = kn_onnx_input_count(now.handle), at = 0;
    for (int i = 0; i < n; i++) {
        kn_onnx_info info;
        kn_onnx_input(now.handle, i, &info);
        kn_array x = now.whole[i] ? now.whole[i] : kn_tree_get(*floats, at++);
        item[i] = (kn_tree_item){info.name, kn_tree_leaf(x)};
    }
    kn_tree inputs = (kn_tree_dict)(n, item);
    kn_call(now.model, &out, *params, inputs);
    kn_array sum = kn_scalar(0.0);
    for (int i = 0; i < kn_tree_count(out); i++) {
        kn_array y = kn_astype(kn_ravel(kn_tree_get(out, i)), KN_F64);
        kn_array w = kn_random_normal(kn_random_key(100 + i), KN_SHAPE(kn_dim(y, 0)), .dtype = KN_F64);
        sum = kn_add(sum, kn_sum(kn_mul(y, w)));
    }
    return sum;
}
KN_FUNCTION(loss, kn_array, kn_tree, kn_tree)

/* Normal numbers as large as those of the tree. */
static kn_tree direction(kn_tree tree, int seed)
{
    kn_array leaf[4096];
    int n = kn_tree_count(tree);
    for (int i = 0; i < n && i < 4096; i++) {
        kn_array x = kn_tree_get(tree, i), size = kn_sqrt(kn_mean(kn_square(x)));
        size = kn_where(kn_greater(size, 0), size, kn_astype(0.1, KN_F32));
        kn_array z = kn_random_normal(kn_random_fold_in(kn_random_key(seed), i), kn_shape_of(x), .dtype = KN_F32);
        leaf[i] = kn_mul(z, size);
    }
    return kn_tree_unflatten(kn_tree_structure(tree), kn_list_from(leaf, n));
}

static kn_tree moved(kn_tree tree, kn_tree along, double h)
{
    kn_array leaf[4096];
    int n = kn_tree_count(tree);
    for (int i = 0; i < n && i < 4096; i++)
        leaf[i] = kn_add(kn_tree_get(tree, i), kn_mul(kn_tree_get(along, i), h));
    return kn_tree_unflatten(kn_tree_structure(tree), kn_list_from(leaf, n));
}

static double inner(kn_tree a, kn_tree b)
{
    double sum = 0;
    for (int i = 0; i < kn_tree_count(a); i++)
        sum += kn_item(kn_sum(kn_mul(kn_astype(kn_tree_get(a, i), KN_F64), kn_astype(kn_tree_get(b, i), KN_F64))));
    return sum;
}

/* Central differences, with what grows as h^2 taken out by two steps (Richardson): the one that agrees best with the next
 * smaller one. */
static double difference(kn_fn f, kn_tree params, kn_tree floats, kn_tree v, bool of_params)
{
    double d[STEPS], before = NAN, best = INFINITY, result = NAN;
    for (int k = 0; k < STEPS; k++) {
        KN_SCOPE;
        double h = ldexp(1, -4 - k), value[2];
        for (int s = 0; s < 2; s++) {
            kn_array y;
            kn_tree at = moved(of_params ? params : floats, v, s ? h : -h);
            kn_call(f, &y, of_params ? at : params, of_params ? floats : at);
            value[s] = kn_item(y);
        }
        d[k] = (value[1] - value[0]) / (2 * h);
        double better = k ? (4 * d[k] - d[k - 1]) / 3 : NAN;
        if (k > 1 && fabs(better - before) < best) {
            best = fabs(better - before);
            result = better;
        }
        before = better;
    }
    return result;
}

static int compare(const char *name, kn_tree params, kn_tree floats, bool of_params)
{
    KN_SCOPE;
    kn_tree v = direction(of_params ? params : floats, 7), grad;
    kn_tree zero = moved(of_params ? floats : params, of_params ? floats : params, -1), vp = of_params ? v : zero,
            vf = of_params ? zero : v;
    kn_array y, forward;
    kn_jvp(KN_FN(loss), KN_ARGS(params, floats), KN_ARGS(vp, vf), &y, &forward);
    kn_call(kn_jit(kn_grad(KN_FN(loss), .argnums = KN_ARGNUMS(of_params ? 0 : 1))), &grad, params, floats);
    double along = inner(grad, v), d = difference(kn_jit(KN_FN(loss)), params, floats, v, of_params),
           f = kn_item(forward);
    double scale = fabs(along) > 1e-6 ? fabs(along) : 1e-6;
    bool good = !kn_error_pending() && fabs(along - d) <= 1e-2 * scale && fabs(along - f) <= 1e-4 * scale;
    printf("%s by %s of %d arrays: reverse %.7g, forward %.7g, difference %.7g%s\n", name,
           of_params ? "weights" : "inputs", kn_tree_count(grad), along, f, d, good ? "" : "  NOT THE SAME");
    if (kn_error_pending())
        puts(kn_error_message());
    kn_error_clear();
    return !good;
}

static int try_model(const char *folder, const char *name)
{
    char path[2][4096];
    snprintf(path[0], sizeof path[0], "%s/%s.onnx", folder, name);
    snprintf(path[1], sizeof path[1], "%s/%s.npz", folder, name);
    if (access(path[0], R_OK) || access(path[1], R_OK))
        return 77;
    KN_SCOPE;
    kn_archive data = kn_load_npz(path[1]);
    now.handle = kn_onnx_load(path[0]);
    now.model = kn_onnx_function(now.handle);
    if (kn_error_pending())
        return puts(kn_error_message()), 1;
    kn_array floats[MOST];
    int n = 0;
    for (int i = 0; i < kn_onnx_input_count(now.handle); i++) {
        kn_onnx_info info;
        kn_onnx_input(now.handle, i, &info);
        kn_array x = kn_archive_get(data, info.name);
        bool is_float = kn_dtype_of(x) == KN_F32;
        now.whole[i] = is_float ? NULL : x;
        if (is_float)
            floats[n++] = x;
    }
    kn_tree params = kn_onnx_params(now.handle), inputs = kn_tree_from(n, floats);
    int status = kn_tree_count(params) ? compare(name, params, inputs, true) : 0;
    return status | (n ? compare(name, params, inputs, false) : 0);
}

int main(int argc, char **argv)
{
    static const char *const models[] = {"silero_sequence", "silero_ifless", "magika"};
    int bad = 0, there = 0;
    for (int i = 0; i < 3; i++) {
        int status = try_model(argc > 1 ? argv[1] : ".", models[i]);
        there += status != 77;
        bad += status && status != 77;
    }
    if (!there)
        puts("skipped: there are no models (scripts/models-venv.sh fetches them)");
    return there ? bad != 0 : 77;
}
