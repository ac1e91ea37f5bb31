/* SPDX-License-Identifier: Apache-2.0
 * parse_value.c -- the small parts of the full form: words, numbers, strings, types, literals. */
#include "base/digits.h"
#include "ir/text/parse.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Failing */

static void position(const kni_parser *p, const char *at, int *line, int *column)
{
    *line = *column = 1;
    for (const char *s = p->text; s < at; s++) {
        *line += *s == '\n';
        *column = *s == '\n' ? 1 : *column + 1;
    }
}

void kni_parse_fail(kni_parser *p, const char *at, kn_error_kind kind, const char *format, ...)
{
    char message[256];
    int line, column;
    va_list args;
    if (p->error)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    position(p, at, &line, &column);
    p->error = knx_error_new(kind, "line %d, column %d: %s", line, column, message);
}

void kni_parse_wrap(kni_parser *p, const char *at, knx_error *e)
{
    if (e && e->kind == KN_ERROR_MEMORY && atomic_load(&e->refs) < 0 && !p->error)
        p->error = e; /* no memory: the static error says so */
    else if (e) {
        kni_parse_fail(p, at, e->kind, "%s", e->message);
        knx_error_release(e);
    }
}

void *kni_parse_alloc(kni_parser *p, size_t bytes)
{
    void *m = p->error ? NULL : knx_arena_zero(&p->arena, bytes);
    if (!m && !p->error)
        p->error = knx_error_nomem();
    return m;
}

/* Characters and words */

static void skip_blanks(kni_parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

bool kni_parse_is(kni_parser *p, char c)
{
    skip_blanks(p);
    return !p->error && *p->at == c;
}

bool kni_parse_take(kni_parser *p, char c)
{
    if (!kni_parse_is(p, c))
        return false;
    p->at++;
    return true;
}

static const char *show_next(const kni_parser *p, char room[8])
{
    unsigned char c = (unsigned char)*p->at;
    if (!c)
        return "the end";
    snprintf(room, 8, c > 0x20 && c < 0x7f ? "'%c'" : "\\x%02x", c);
    return room;
}

bool kni_parse_need(kni_parser *p, char c)
{
    char room[8];
    if (kni_parse_take(p, c))
        return true;
    kni_parse_fail(p, p->at, KN_ERROR_VALUE, "expected '%c' before %s", c, show_next(p, room));
    return false;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '$';
}

/* A dot or hyphen belongs to a word if a letter follows: scatter-add, GatherScatterMode.CLIP, but not the point
 * behind binders. */
kni_word kni_parse_peek(kni_parser *p)
{
    skip_blanks(p);
    kni_word w = {p->at, 0};
    while (!p->error && in_word(w.s[w.n]) && ((w.s[w.n] != '.' && w.s[w.n] != '-') || (w.n && in_word(w.s[w.n + 1]))))
        w.n++;
    return w;
}

bool kni_word_is(kni_word w, const char *s) { return w.n == strlen(s) && !memcmp(w.s, s, w.n); }

kni_word kni_parse_word(kni_parser *p, const char *what)
{
    char room[8];
    kni_word w = kni_parse_peek(p);
    p->at += w.n;
    if (!w.n)
        kni_parse_fail(p, p->at, KN_ERROR_VALUE, "expected %s before %s", what, show_next(p, room));
    return w;
}

bool kni_parse_need_word(kni_parser *p, const char *word)
{
    char room[8];
    kni_word w = kni_parse_peek(p);
    if (kni_word_is(w, word)) {
        p->at += w.n;
        return !p->error;
    }
    kni_parse_fail(p, p->at, KN_ERROR_VALUE, "expected `%s` before %s", word, show_next(p, room));
    return false;
}

/* Numbers */

/* Digits to a magnitude; false if there are none or too many. */
static bool magnitude(const char **s, uint64_t *v)
{
    const char *start = *s;
    for (*v = 0; **s >= '0' && **s <= '9'; (*s)++)
        if (__builtin_mul_overflow(*v, (uint64_t)10, v) || __builtin_add_overflow(*v, (uint64_t)(**s - '0'), v))
            return false;
    return *s > start;
}

/* The two's complement bits of [-]digits; `negative` says which. */
static bool integer(const char **s, uint64_t *bits, bool *negative)
{
    *negative = **s == '-';
    *s += *negative;
    if (!magnitude(s, bits) || (*negative && *bits > (uint64_t)1 << 63))
        return false;
    *bits = *negative ? 0 - *bits : *bits;
    return true;
}

bool kni_parse_int(kni_parser *p, int64_t *v)
{
    uint64_t bits;
    bool negative;
    skip_blanks(p);
    const char *start = p->at;
    if (!p->error && integer(&p->at, &bits, &negative) && (negative || bits <= INT64_MAX)) {
        *v = (int64_t)bits;
        return true;
    }
    kni_parse_fail(p, start, KN_ERROR_VALUE, "expected an integer of 64 bits");
    return false;
}

/* Does the number that ends here go on as an expression? */
static bool goes_on(const char *s)
{
    while (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r')
        s++;
    return *s == '*' || *s == '^' || *s == '+' || (*s == '-' && s[1] == ' ');
}

static bool parse_expression(kni_parser *p, int64_t *v)
{
    const char *start = p->at;
    kni_parse_wrap(p, start, knx_dim_parse(&p->at, v));
    if (!p->error && *v == KNX_DIM_UNKNOWN) {
        kni_parse_wrap(p, start, knx_dim_now() ? knx_dim_take_error(knx_dim_now()) : NULL);
        kni_parse_fail(p, start, KN_ERROR_VALUE, "numbers of a dimension do not fit");
    }
    return !p->error;
}

bool kni_parse_dim(kni_parser *p, int64_t *v)
{
    uint64_t bits;
    bool negative;
    skip_blanks(p);
    const char *s = p->at;
    if (p->error)
        return false;
    if ((*s >= '0' && *s <= '9') || (*s == '-' && s[1] >= '0' && s[1] <= '9')) {
        if (!integer(&s, &bits, &negative) || !goes_on(s))
            return kni_parse_int(p, v) &&
                   (!knx_is_symbolic(*v) ||
                    (kni_parse_fail(p, s, KN_ERROR_VALUE, "a number as large as no extent"), false));
    } else if (*s != '-' && *s != '(' && *s != '_' && !((*s | 32) >= 'a' && (*s | 32) <= 'z')) {
        return kni_parse_int(p, v);
    }
    return parse_expression(p, v);
}

static bool hex(const char **s, uint64_t *v)
{
    static const char digits[] = "0123456789abcdef";
    int n = 0;
    if (strncmp(*s, "0x", 2))
        return false;
    for (*s += 2, *v = 0; **s && strchr(digits, **s); (*s)++, n++)
        *v = *v << 4 | (uint64_t)(strchr(digits, **s) - digits);
    return n > 0 && n <= 16;
}

/* bits(0x..) or bits(0x..,0x..); nothing beyond the dtype's size may be set. */
bool kni_bits_value(const char **s, size_t size, knx_scalar_bits *out)
{
    *out = (knx_scalar_bits){.u = {0}};
    if (strncmp(*s, "bits(", 5))
        return false;
    *s += 5;
    if (!hex(s, &out->u[0]) || (**s == ',' && ((*s)++, !hex(s, &out->u[1]))) || *(*s)++ != ')')
        return false;
    for (size_t i = size; i < sizeof *out; i++)
        if (out->bytes[i])
            return false;
    return true;
}

bool kni_parse_ints(kni_parser *p, kni_ints *v)
{
    KN_VEC(int64_t) list = {0};
    *v = (kni_ints){0, NULL};
    if (!kni_parse_need(p, '('))
        return false;
    while (!p->error && !kni_parse_is(p, ')')) {
        int64_t one = 0;
        if (kni_parse_dim(p, &one) && !KN_VEC_PUSH(&list, one))
            p->error = knx_error_nomem();
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    if (list.n && !p->error) {
        int64_t *own = kni_parse_alloc(p, list.n * sizeof *own);
        if (own)
            memcpy(own, list.at, list.n * sizeof *own);
        *v = (kni_ints){own ? (int)list.n : 0, own};
    }
    KN_VEC_FREE(&list);
    return !p->error;
}

/* In double quotes as the full form has it, or in single ones. */
static const char *axis_name(kni_parser *p)
{
    if (!kni_parse_is(p, '\''))
        return kni_parse_string(p);
    const char *start = ++p->at;
    size_t n = strcspn(start, "'");
    char *s = kni_parse_alloc(p, n + 1);
    if (s)
        memcpy(s, start, n);
    p->at = start + n;
    return kni_parse_need(p, '\'') ? s : NULL;
}

/* Behind the axes, if they are not 0, 1, 2, ... */
static const int32_t *parse_devices(kni_parser *p, int64_t n)
{
    KN_VEC(int32_t) list = {0};
    while (!p->error && !kni_parse_is(p, ')')) {
        const char *start = p->at;
        int64_t device;
        if (!kni_parse_int(p, &device))
            break;
        if (device < 0 || device > INT32_MAX)
            kni_parse_fail(p, start, KN_ERROR_VALUE, "an impossible device");
        else if (!KN_VEC_PUSH(&list, (int32_t)device))
            kni_parse_no_memory(p);
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    if (!p->error && (int64_t)list.n != n)
        kni_parse_fail(p, p->at, KN_ERROR_VALUE, "a mesh of %lld devices lists %zu", (long long)n, list.n);
    int32_t *own = p->error ? NULL : kni_parse_alloc(p, (list.n + 1) * sizeof *own);
    if (own && list.n)
        memcpy(own, list.at, list.n * sizeof *own);
    KN_VEC_FREE(&list);
    return own;
}

bool kni_parse_mesh(kni_parser *p, const kni_mesh **out)
{
    const char *name[KNI_MESH_AXES], *start = p->at;
    int64_t size[KNI_MESH_AXES], all = 1;
    const int32_t *device = NULL;
    int n = 0;
    if (kni_word_is(kni_parse_peek(p), "None"))
        return kni_parse_need_word(p, "None");
    kni_parse_need_word(p, "Mesh");
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')') && !kni_parse_is(p, ';')) {
        if (n == KNI_MESH_AXES) {
            kni_parse_fail(p, p->at, KN_ERROR_VALUE, "a mesh has at most %d axes", KNI_MESH_AXES);
            break;
        }
        name[n] = axis_name(p);
        kni_parse_need(p, ':');
        kni_parse_int(p, &size[n++]);
        if (!kni_parse_is(p, ')') && !kni_parse_is(p, ';'))
            kni_parse_need(p, ',');
    }
    if (!p->error && kni_parse_take(p, ';')) {
        for (int i = 0; i < n && !p->error; i++)
            if (size[i] < 1 || __builtin_mul_overflow(all, size[i], &all))
                kni_parse_fail(p, start, KN_ERROR_VALUE, "impossible sizes of axes");
        device = p->error ? NULL : parse_devices(p, all);
    }
    kni_parse_need(p, ')');
    knx_error *error = p->error ? NULL : kni_mesh_of(n, name, size, device, out);
    if (error)
        kni_parse_wrap(p, start, error);
    return !p->error;
}

/* The text up to the parenthesis that ends it, copied; NULL with an error. */
static char *inside_of_parentheses(kni_parser *p)
{
    int depth = 1;
    size_t n = 0;
    kni_parse_need(p, '(');
    const char *start = p->at;
    while (!p->error && start[n]) {
        depth += (start[n] == '(') - (start[n] == ')');
        if (!depth)
            break;
        n++;
    }
    char *s = p->error ? NULL : kni_parse_alloc(p, n + 1);
    if (s)
        memcpy(s, start, n);
    p->at = start + n;
    return kni_parse_need(p, ')') ? s : NULL;
}

bool kni_parse_sharding(kni_parser *p, const kni_sharding **out)
{
    const kni_mesh *m = NULL;
    kni_parse_need_word(p, "NamedSharding");
    kni_parse_need(p, '(');
    const char *start = p->at;
    kni_parse_mesh(p, &m);
    kni_parse_need(p, ',');
    const char *spec = p->error || !m ? NULL : inside_of_parentheses(p);
    kni_parse_need(p, ')');
    if (!p->error && !m)
        kni_parse_fail(p, start, KN_ERROR_VALUE, "expected a mesh");
    knx_error *error = p->error ? NULL : kni_parse_spec(m, -1, spec, out);
    if (error)
        kni_parse_wrap(p, start, error);
    return !p->error;
}

/* Axes of the mesh: None, 'x', ('x', 'y'). */
static void parse_mesh_axes(kni_parser *p, const kni_mesh *m, kni_mesh_axes *a)
{
    bool several = kni_parse_take(p, '(');
    *a = (kni_mesh_axes){0};
    if (!several && kni_word_is(kni_parse_peek(p), "None")) {
        kni_parse_need_word(p, "None");
        return;
    }
    do {
        const char *start = p->at, *name = axis_name(p);
        int axis = name ? kni_mesh_axis(m, name, strlen(name)) : -1;
        if (p->error)
            return;
        if (axis < 0 || a->n == KNI_MESH_AXES) {
            kni_parse_fail(p, start, KN_ERROR_VALUE, "the mesh has no axis %s, or not so often", name);
            return;
        }
        a->axis[a->n++] = (uint8_t)axis;
        if (several && !kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    } while (several && !p->error && !kni_parse_is(p, ')'));
    if (several)
        kni_parse_need(p, ')');
}

static const kni_sharding *parse_spec(kni_parser *p, const kni_mesh *m)
{
    kni_mesh_axes dim[KN_MAX_NDIM];
    const kni_sharding *s = NULL;
    const char *start = p->at;
    int n = 0;
    kni_parse_need_word(p, "P");
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        if (n == KN_MAX_NDIM)
            kni_parse_fail(p, p->at, KN_ERROR_VALUE, "more than %d dimensions", KN_MAX_NDIM);
        else
            parse_mesh_axes(p, m, &dim[n++]);
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    knx_error *error = p->error ? NULL : kni_sharding_of(m, n, dim, &s);
    if (error)
        kni_parse_wrap(p, start, error);
    return s;
}

bool kni_parse_shardings(kni_parser *p, kni_shardings *v)
{
    KN_VEC(const kni_sharding *) list = {0};
    const kni_mesh *m = NULL;
    *v = (kni_shardings){0, NULL};
    kni_parse_need(p, '(');
    if (!p->error && !kni_parse_is(p, ')') && kni_parse_mesh(p, &m) && m)
        kni_parse_need(p, ';');
    while (!p->error && m && !kni_parse_is(p, ')')) {
        const kni_sharding *one = parse_spec(p, m);
        if (one && !KN_VEC_PUSH(&list, one))
            kni_parse_no_memory(p);
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    const kni_sharding **own = p->error ? NULL : kni_parse_alloc(p, (list.n + 1) * sizeof *own);
    if (own && list.n)
        memcpy(own, list.at, list.n * sizeof *own);
    *v = (kni_shardings){own ? (int)list.n : 0, own};
    KN_VEC_FREE(&list);
    return !p->error;
}

bool kni_parse_names(kni_parser *p, kni_names *v)
{
    KN_VEC(const char *) list = {0};
    *v = (kni_names){0, NULL};
    bool bare = !kni_parse_is(p, '(');
    if (!bare)
        kni_parse_need(p, '(');
    while (!p->error && (bare ? !list.n : !kni_parse_is(p, ')'))) {
        kni_word w = bare ? kni_parse_word(p, "an axis name") : (kni_word){0};
        char *word = bare ? kni_parse_alloc(p, w.n + 1) : NULL;
        if (word)
            memcpy(word, w.s, w.n);
        const char *one = bare ? word : axis_name(p);
        if (one && !KN_VEC_PUSH(&list, one))
            p->error = knx_error_nomem();
        if (!bare && !kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    if (!bare)
        kni_parse_need(p, ')');
    const char **own = kni_parse_alloc(p, (list.n + 1) * sizeof *own);
    if (own) {
        if (list.n)
            memcpy(own, list.at, list.n * sizeof *own);
        *v = (kni_names){(int)list.n, own};
    }
    KN_VEC_FREE(&list);
    return !p->error;
}

bool kni_parse_double(kni_parser *p, double *v)
{
    knx_scalar_bits bits;
    skip_blanks(p);
    const char *s = p->at;
    if (!p->error && kni_bits_value(&s, sizeof *v, &bits))
        *v = bits.f64;
    else if (p->error || !knx_parse_double(p->at, &s, v))
        kni_parse_fail(p, p->at, KN_ERROR_VALUE, "expected a number");
    if (!p->error)
        p->at = s;
    return !p->error;
}

bool kni_parse_doubles(kni_parser *p, kni_doubles *v)
{
    KN_VEC(double) list = {0};
    *v = (kni_doubles){0, NULL};
    if (!kni_parse_need(p, '('))
        return false;
    while (!p->error && !kni_parse_is(p, ')')) {
        double one = 0;
        if (kni_parse_double(p, &one) && !KN_VEC_PUSH(&list, one))
            p->error = knx_error_nomem();
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    if (list.n && !p->error) {
        double *own = kni_parse_alloc(p, list.n * sizeof *own);
        if (own)
            memcpy(own, list.at, list.n * sizeof *own);
        *v = (kni_doubles){own ? (int)list.n : 0, own};
    }
    KN_VEC_FREE(&list);
    return !p->error;
}

/* Strings: "..." with \" \\ \n \xHH. */
static int unescape(const char **s)
{
    static const char digits[] = "0123456789abcdef";
    char c = *(*s)++;
    if (c == 'n')
        return '\n';
    if (c == '"' || c == '\\')
        return c;
    if (c != 'x')
        return -1;
    int v = 0;
    for (int i = 0; i < 2; i++, (*s)++) {
        if (!**s || !strchr(digits, **s))
            return -1;
        v = v * 16 + (int)(strchr(digits, **s) - digits);
    }
    return v ? v : -1;
}

char *kni_parse_string(kni_parser *p)
{
    if (!kni_parse_need(p, '"'))
        return NULL;
    const char *start = p->at, *s = start;
    while (*s && *s != '"')
        s += *s == '\\' && s[1] ? 2 : 1;
    char *out = kni_parse_alloc(p, (size_t)(s - start) + 1), *o = out;
    if (!out)
        return NULL;
    for (s = start; *s && *s != '"';) {
        int c = (unsigned char)*s++;
        if (c == '\\')
            c = unescape(&s);
        if (c < 0) {
            kni_parse_fail(p, s, KN_ERROR_VALUE, "unknown escape in a string");
            return NULL;
        }
        *o++ = (char)c;
    }
    p->at = s;
    return kni_parse_need(p, '"') ? out : NULL;
}

/* Types and literals */

kn_dtype kni_parse_dtype(kni_parser *p)
{
    char name[24];
    size_t n = 0;
    skip_blanks(p);
    const char *s = p->at;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9') || s[n] == '<' || s[n] == '>' || s[n] == '_')
        n++;
    kn_dtype d = NULL;
    if (n < sizeof name && !p->error && s[0] != '<') {
        memcpy(name, s, n);
        name[n] = '\0';
        d = knx_dtype_find(name);
    }
    if (d)
        p->at += n;
    else
        kni_parse_fail(p, s, KN_ERROR_VALUE, "`%.*s` is no dtype", (int)(n < 40 ? n : 40), s);
    return d;
}

bool kni_parse_type(kni_parser *p, kni_type *t)
{
    const char *start = p->at;
    int64_t dim[KN_MAX_NDIM];
    *t = (kni_type){.dtype = kni_parse_dtype(p)};
    bool more = kni_parse_need(p, '[') && !kni_parse_is(p, ']');
    for (; more && !p->error; more = kni_parse_take(p, ',')) {
        if (t->ndim == KN_MAX_NDIM)
            kni_parse_fail(p, start, KN_ERROR_VALUE, "more than %d dimensions", KN_MAX_NDIM);
        else if (kni_parse_dim(p, &dim[t->ndim]) && dim[t->ndim++] < 0)
            kni_parse_fail(p, start, KN_ERROR_VALUE, "a negative extent");
    }
    int64_t *own = kni_parse_need(p, ']') && t->ndim ? kni_parse_alloc(p, (size_t)t->ndim * sizeof *own) : NULL;
    if (p->error)
        return false;
    KN_KNOWN(t->dtype);
    if (own)
        t->dim = memcpy(own, dim, (size_t)t->ndim * sizeof *own);
    t->weak = *p->at == '*';
    p->at += t->weak;
    return true;
}

bool kni_parse_is_literal(kni_parser *p)
{
    static const char *const words[] = {"nan", "inf", "bits", "True", "False"};
    kni_word w = kni_parse_peek(p);
    if (p->error || !*w.s)
        return false;
    if (strchr("0123456789-(", *w.s))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kni_word_is(w, words[i]))
            return true;
    return false;
}

static bool real_value(const char **s, kn_dtype d, knx_scalar_bits *out)
{
    double v;
    if (!knx_parse_double(*s, s, &v))
        return false;
    *out = knx_scalar_from_double(d, v);
    return true;
}

static bool complex_value(const char **s, kn_dtype d, knx_scalar_bits *out)
{
    kn_dtype part = knx_component(d);
    knx_scalar_bits re, im;
    if (*(*s)++ != '(' || !real_value(s, part, &re) || *(*s)++ != ',' || !real_value(s, part, &im) || *(*s)++ != ')')
        return false;
    memcpy(out->bytes, &re, part->size);
    memcpy(out->bytes + part->size, &im, part->size);
    return true;
}

static bool integer_value(const char **s, kn_dtype d, knx_scalar_bits *out)
{
    uint64_t bits;
    bool negative;
    if (!integer(s, &bits, &negative) || !knx_int_fits(d, !negative, bits))
        return false;
    *out = knx_scalar_from_int(d, (int64_t)bits);
    return true;
}

static bool literal_value(const char **s, kn_dtype d, knx_scalar_bits *out)
{
    *out = (knx_scalar_bits){.u = {0}};
    if (**s == 'b')
        return kni_bits_value(s, d->size, out);
    switch (d->kind) {
    case KN_KIND_BOOL: {
        bool yes = !strncmp(*s, "True", 4);
        if (!yes && strncmp(*s, "False", 5))
            return false;
        *s += yes ? 4 : 5;
        out->u8 = yes;
        return true;
    }
    case KN_KIND_INT:
    case KN_KIND_UINT: return integer_value(s, d, out);
    case KN_KIND_FLOAT: return real_value(s, d, out);
    case KN_KIND_COMPLEX: return complex_value(s, d, out);
    case KN_KIND_KEY: return false;
    }
    return false;
}

/* The value means something only once the type behind it is known. */
bool kni_parse_literal(kni_parser *p, kni_literal *l)
{
    skip_blanks(p);
    const char *value = p->at, *end = value + strcspn(value, ":; \n\t\r\"");
    if (*end != ':') {
        kni_parse_fail(p, value, KN_ERROR_VALUE, "a literal without a type");
        return false;
    }
    p->at = end + 1;
    if (!kni_parse_type(p, &l->type))
        return false;
    if (l->type.ndim || !literal_value(&value, l->type.dtype, &l->bits) || value != end)
        kni_parse_fail(p, value, KN_ERROR_VALUE, "this is no literal of type %s",
                       l->type.ndim ? "scalar" : l->type.dtype->name);
    return !p->error;
}
