/* SPDX-License-Identifier: Apache-2.0
 * golden_text.c -- finds the stored text of a case. */
#include "support/golden_text.h"
#include "support/expect.h"
#include <stdio.h>
#include <stdlib.h>

/* The lines between "== name" and the next empty line; the caller frees it. */
static char *stored(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    char line[400], *text = calloc(1, 1 << 16);
    bool found = false;
    if (!file || !text)
        fail_msg("%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        bool head = !strncmp(line, "== ", 3);
        if (found && (head || line[0] == '\n'))
            break;
        if (found)
            strncat(text, line, (1 << 16) - 1 - strlen(text));
        else
            found = head && strlen(line) == strlen(name) + 4 && !strncmp(line + 3, name, strlen(name));
    }
    fclose(file);
    if (!found)
        fail_msg("there is no text %s in %s", name, path);
    if (*text)
        text[strlen(text) - 1] = '\0';
    return text;
}

void golden_same_text_in(const char *path, const char *name, kn_fn fn, const kn_args *args)
{
    char *want = stored(path, name);
    const char *got = kn_jaxpr_text(kn_make_jaxpr(fn, args), KN_JAXPR_TYPED);
    bool same = !strcmp(got, want);
    if (!same)
        print_error("%s: JAX has\n%s\nbut Kiln has\n%s\n", name, want, got);
    free(want);
    assert_true(same);
}

void golden_same_text(const char *name, kn_fn fn, const kn_args *args)
{
    golden_same_text_in(KN_TEST_DIR "/golden/jaxpr_texts.txt", name, fn, args);
}
