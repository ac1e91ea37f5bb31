/* SPDX-License-Identifier: Apache-2.0
 * values_data.c -- loaders, managers of checkpoints, and the functions that make examples. */
#include "tables.h"
#include "values.h"

static kn_tree makes_an_example(void *env, int64_t index)
{
    (void)env;
    return kn_tree_leaf(kn_like_int(index));
}

static kn_tree refuses(void *env, int64_t index) { return (void)env, (void)index, NULL; }

static kn_tree gives_it_back(void *env, kn_tree batch, kn_array key) { return (void)env, (void)key, batch; }

static kn_tree gives_none(void *env, kn_tree batch, kn_array key) { return (void)env, (void)batch, (void)key, NULL; }

kn_example_function take_kn_example_function(const char *name)
{
    static const kn_example_function table[] = {makes_an_example, NULL, refuses};
    return FROM_NULL(table, 1);
}

kn_batch_function take_kn_batch_function(const char *name)
{
    static const kn_batch_function table[] = {gives_it_back, NULL, gives_none};
    return FROM_NULL(table, 1);
}

/* One that is sound, NULL, handles of other kinds and bits that are none. */
static void *handle(const char *name, void *sound)
{
    void *table[] = {sound, NULL, kn_tree_none(), (void *)(uintptr_t)0x55, (void *)UINTPTR_MAX};
    return FROM_NULL(table, 1);
}

kn_loader take_kn_loader(const char *name) { return handle(name, (kn_loader_of)(5, makes_an_example, NULL, NULL)); }

kn_checkpoint_manager take_kn_checkpoint_manager(const char *name)
{
    return handle(name, (kn_checkpoint_manager_new)("hostile_run", NULL));
}
