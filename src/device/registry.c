/* SPDX-License-Identifier: Apache-2.0
 * registry.c -- the devices of this process by name, and which of them runs what nobody placed. */
#include "base/lock.h"
#include "base/log.h"
#include "device/device.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static const knd_device *known[MOST];
static const knd_device **meshes; /* devices that are meshes, as many as the user makes */
static int n_mesh;

/* Number i of all of them; NULL: there is none. */
static const knd_device *device_at(int i) { return i < MOST ? known[i] : meshes[i - MOST]; }
static int n_known(void) { return MOST + n_mesh; }

size_t knd_kind_length(const char *name) { return strcspn(name, ":"); }

static bool is_of_kind(const knd_device *d, const char *kind)
{
    size_t n = knd_kind_length(d->name);
    return strlen(kind) == n && !strncmp(d->name, kind, n);
}

/* By its whole name, or the first of a kind. */
static const knd_device *find(const char *name)
{
    if (!strcmp(name, knd_host.name))
        return &knd_host;
    for (int i = 0; i < n_known(); i++)
        if (device_at(i) && !strcmp(device_at(i)->name, name))
            return device_at(i);
    for (int i = 0; i < n_known(); i++)
        if (device_at(i) && is_of_kind(device_at(i), name))
            return device_at(i);
    return NULL;
}

/* Of engines.c, which is not there in a static program that names no device in its text. */
extern __typeof__(knd_open_engines) knd_open_engines __attribute__((weak));

static knx_error *open_engines(const char *name) { return knd_open_engines ? knd_open_engines(name) : NULL; }

const knd_device *knd_find(const char *name)
{
    knx_error_release(open_engines(name));
    knx_global_lock_take(&lock);
    const knd_device *d = find(name);
    knx_global_unlock(&lock);
    return d;
}

int knd_list(const char *kind, int room, const knd_device **out)
{
    int n = 0;
    knx_error_release(open_engines(kind));
    knx_global_lock_take(&lock);
    for (int i = -1; i < n_known(); i++) {
        const knd_device *d = i < 0 ? &knd_host : device_at(i);
        if (!d || (kind ? !is_of_kind(d, kind) : d->mesh != NULL))
            continue;
        if (n < room)
            out[n] = d;
        n++;
    }
    knx_global_unlock(&lock);
    return n;
}

/* What else there is to be said of a device that is not there. */
static const char *reason_of(const knx_error *why)
{
    if (why)
        return why->message;
    return knd_open_engines ? NULL : "this program is linked statically, without devices: see docs/devices.md";
}

knx_error *knd_need(const char *name, const knd_device **out)
{
    const knd_device *all[MOST + 1];
    knx_text t = {0};
    knx_error *why = open_engines(name), *error;
    if ((*out = knd_find(name))) {
        knx_error_release(why);
        return NULL;
    }
    int n = knd_list(NULL, MOST + 1, all);
    for (int i = 0; i < n && i < MOST + 1; i++)
        knx_text_add(&t, "%s%s", i ? ", " : "", all[i]->name);
    const char *reason = reason_of(why);
    error = knx_error_new(KN_ERROR_VALUE, "there is no device '%s'; there %s %s%s%s", name, n == 1 ? "is" : "are", t.s,
                          reason ? ". " : "", reason ? reason : "");
    knx_error_release(why);
    return error;
}

bool knd_is_known(const knd_device *d)
{
    bool is = d == &knd_host;
    knx_global_lock_take(&lock);
    for (int i = 0; i < n_known(); i++)
        is = is || (d && device_at(i) == d);
    knx_global_unlock(&lock);
    return is;
}

static bool is_taken(const char *name)
{
    bool taken = !strcmp(name, knd_host.name);
    for (int i = 0; i < n_known(); i++)
        taken = taken || (device_at(i) && !strcmp(device_at(i)->name, name));
    return taken;
}

const knd_device *knd_first(const knd_device *but)
{
    const knd_device *d = NULL;
    knx_error_release(open_engines(NULL));
    knx_global_lock_take(&lock);
    for (int i = 0; i < MOST && !d; i++)
        d = known[i] != but ? known[i] : NULL;
    knx_global_unlock(&lock);
    return d;
}

/* Under the lock. The list stays for good, so it does not count among Kiln's memory. */
static knx_error *add_mesh(const knd_device *d)
{
    bool full = !(n_mesh & (n_mesh - 1)); /* room is a power of two */
    const knd_device **more = meshes;
    if (full)
        more = knx_alloc_must_fail() ? NULL : realloc(meshes, (size_t)(n_mesh ? 2 * n_mesh : 1) * sizeof *meshes);
    if (!more)
        return knx_error_nomem();
    meshes = more;
    meshes[n_mesh++] = d;
    return NULL;
}

knx_error *knd_register(const knd_device *d)
{
    knx_error *error = NULL;
    int at = 0;
    knx_global_lock_take(&lock);
    while (at < MOST && known[at])
        at++;
    if (is_taken(d->name))
        error = knx_error_new(KN_ERROR_VALUE, "there is a device '%s' already", d->name);
    else if (d->mesh)
        error = add_mesh(d);
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
    knx_global_unlock(&lock);
    if (knd_default() == d)
        knd_set_default(NULL);
}

/* ---- The default. */

const knd_device *knd_default(void)
{
    return knd_site_at(atomic_load_explicit(&knd_default_site, memory_order_acquire))->device;
}

void knd_set_default(const knd_device *d)
{
    uint16_t site = d ? knd_site_of(d, false, NULL) : KND_NOWHERE;
    atomic_store_explicit(&knd_default_site, site, memory_order_release);
}

knx_error *knd_read_default(void)
{
    static knx_global_lock once = KN_GLOBAL_LOCK_INIT;
    static bool read;
    const char *name = knx_env()->device;
    const knd_device *d = NULL;
    knx_error *error = NULL;
    if (!name)
        return NULL;
    knx_global_lock_take(&once); /* others wait until it is known */
    if (!read && !(error = knd_need(name, &d)))
        knd_set_default(d);
    read = true;
    knx_global_unlock(&once);
    return error;
}
