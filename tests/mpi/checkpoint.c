/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c -- checkpoints of several processes: `save FOLDER`, `load FOLDER`, and `fail FOLDER`, where the last process cannot
 * write. Element (i, j) of a matrix is 1000 i + j, whoever has it. */
#define _GNU_SOURCE
#include <kiln/kiln.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { ROWS = 37, COLUMNS = 11 };

static kn_array some(void *env, const kn_shape *start, const kn_shape *shape)
{
    kn_array i = kn_add(kn_arange(0., (double)shape->dim[0], 1.), (double)start->dim[0]);
    kn_array j = kn_add(kn_arange(0., (double)shape->dim[1], 1.), (double)start->dim[1]);
    (void)env;
    return kn_add(kn_mul(kn_reshape(i, KN_SHAPE(-1, 1)), 1000.), j);
}

static bool is_right(const char *what, kn_array x)
{
    kn_shard_info part[64];
    int n = kn_addressable_shards(x, 64, part);
    bool right = n >= 0;
    for (int i = 0; right && i < n; i++)
        right = kn_array_equal(part[i].data, some(NULL, &part[i].start, &part[i].shape));
    if (!right)
        printf("process %d: %s is wrong\n", kn_process_index(), what);
    return right;
}

static kn_tree state(kn_mesh mesh)
{
    const char *const specs[] = {"d", "None, d", ""};
    kn_array leaf[4];
    for (int i = 0; i < 3; i++)
        leaf[i] =
            kn_make_array_from_callback(KN_SHAPE(ROWS, COLUMNS), KN_F64, kn_named_sharding(mesh, specs[i]), some, NULL);
    leaf[3] = some(NULL, &KN_SHAPE(0, 0), &KN_SHAPE(ROWS, COLUMNS));
    return kn_tree_from(4, leaf);
}

static bool check_tree(kn_tree t)
{
    bool right = t && kn_tree_count(t) == 4;
    for (int i = 0; right && i < 4; i++) {
        char what[32];
        snprintf(what, sizeof what, "leaf %d", i);
        right = is_right(what, kn_tree_get(t, i));
    }
    return right;
}

static bool load(const char *path, kn_mesh mesh)
{
    const char *const specs[] = {"d", "None, d", ""};
    bool right = check_tree(kn_load_checkpoint(path)) && check_tree(kn_load_checkpoint(path, .like = state(mesh)));
    for (int i = 0; right && i < 3; i++) {
        kn_tree t = kn_load_checkpoint(path, .sharding = kn_named_sharding(mesh, specs[i]));
        right =
            check_tree(t) && strcmp(kn_sharding_spec(kn_sharding_of(kn_tree_get(t, 3))), i == 0   ? "d, None"
                                                                                         : i == 1 ? "None, d"
                                                                                                  : "None, None") == 0;
    }
    return right;
}

/* The last process may write files of so many bytes alone. */
static void limit_files(rlim_t bytes)
{
    struct rlimit l = {bytes, RLIM_INFINITY};
    if (kn_process_index() == kn_process_count() - 1)
        setrlimit(RLIMIT_FSIZE, &l);
}

static bool fail(const char *path, kn_mesh mesh)
{
    signal(SIGXFSZ, SIG_IGN);
    kn_tree t = state(mesh), other = kn_tree_dict("x", kn_tree_get(t, 0));
    limit_files(100);
    bool right = kn_save_checkpoint(path, other) == -1 && strcmp(kn_error_kind_name(), "FileError") == 0 &&
                 strstr(kn_error_message(), "File too large");
    if (!right)
        printf("process %d: %s\n", kn_process_index(), kn_error_message());
    kn_error_clear();
    limit_files(RLIM_INFINITY);
    return right && load(path, mesh);
}

int main(int argc, char **argv)
{
    bool right = argc == 4;
    if (right && strcmp(argv[3], "mpi") == 0 && !kn_distributed_init(.timeout = 60))
        return kn_finish();
    {
        KN_SCOPE;
        kn_mesh mesh = kn_make_mesh(KN_SHAPE(kn_global_device_count()), "d");
        if (right && strcmp(argv[1], "save") == 0)
            right = kn_save_checkpoint(argv[2], state(mesh)) == 0;
        else if (right)
            right = strcmp(argv[1], "load") == 0 ? load(argv[2], mesh) : fail(argv[2], mesh);
    }
    int status = kn_finish();
    return status ? status : !right;
}
