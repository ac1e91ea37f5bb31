/* SPDX-License-Identifier: Apache-2.0
 * registry.c -- the devices of this process by name, and which of them runs what nobody placed. */
#include "base/lock.h"
#include "device/device.h"
#include <string.h>

enum { MOST = 16 };
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static const knd_device *known[MOST];
static _Atomic(const knd_device *) chosen; /* NULL: the host */

static const knd_device *find(const char *name)
{
    for (int i = 0; i < MOST; i++)
        if (known[i] && !strcmp(known[i]->name, name))
            return known[i];
    return strcmp(name, knd_host.name) ? NULL : &knd_host;
}

const knd_device *knd_find(const char *name)
{
    knx_global_lock_take(&lock);
    const knd_device *d = find(name);
    knx_global_unlock(&lock);
    return d;
}

knx_error *knd_register(const knd_device *d)
{
    knx_error *error = NULL;
    int at = 0;
    knx_global_lock_take(&lock);
    while (at < MOST && known[at])
        at++;
    if (find(d->name))
        error = knx_error_new(KN_ERROR_VALUE, "there is a device '%s' already", d->name);
    else if (at == MOST)
        error = knx_error_new(KN_ERROR_VALUE, "there are %d devices already", MOST);
    else
        known[at] = d;
    knx_global_unlock(&lock);
    return error;
}

void knd_unregister(const knd_device *d)
{
    knx_global_lock_take(&lock);
    for (int i = 0; i < MOST; i++)
        if (known[i] == d)
            known[i] = NULL;
    if (atomic_load(&chosen) == d)
        atomic_store(&chosen, NULL);
    knx_global_unlock(&lock);
}

KNX_HOT const knd_device *knd_default(void)
{
    const knd_device *d = atomic_load_explicit(&chosen, memory_order_acquire);
    return d ? d : &knd_host;
}

void knd_set_default(const knd_device *d) { atomic_store_explicit(&chosen, d, memory_order_release); }
