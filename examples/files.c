/* SPDX-License-Identifier: Apache-2.0
 * files.c -- tables in text files, arrays in npy files, a file as memory. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>

/* "12.5%" as 0.125 */
static bool percent(void *env, const char *field, size_t length, void *element)
{
    char *end;
    (void)env, (void)length;
    *(double *)element = strtod(field, &end) / 100;
    return *end == '%';
}

static void tables(void)
{
    KN_SCOPE;
    const char *text = "# name; share; count\n"
                       "a; 12.5%; 3\n"
                       "b; 50%; 4\n";
    kn_print(kn_loadtxt(NULL, .text = text, .delimiter = ";", .usecols = KN_INTS(1, 2),
                        .converters = KN_TEXT_COLUMNS({.column = 1, .convert = percent})));
    kn_print(kn_genfromtxt(NULL, .text = "1,,3\n4,N/A,6\n", .delimiter = ",", .missing_values = "N/A",
                           .filling_values = kn_num(-1)));
    kn_savetxt(NULL, kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), .fmt = "%4d", .header = "three columns",
               .file = stdout);
    kn_loadtxt(NULL, .text = "1 2 3\n4 x 6\n");
    printf("%s\n", kn_error_message());
    kn_error_clear();
}

static void arrays(FILE *file)
{
    KN_SCOPE;
    for (int i = 1; i <= 3; i++) /* one array after the other */
        kn_save(NULL, kn_full(KN_SHAPE(i), i), .file = file);
    rewind(file);
    for (int i = 1; i <= 3; i++)
        kn_print(kn_load(NULL, .file = file));
}

static void memory(const char *path)
{
    KN_SCOPE;
    kn_array m = kn_memmap(path, .mode = "w+", .dtype = KN_F64, .shape = &KN_SHAPE(2, 2));
    kn_set_at(m, 7, "0, 1");
    kn_iadd(kn_at(m, "1"), 0.5);
    kn_memmap_flush(m); /* now the file has them */
    kn_print(kn_fromfile(path));
}

int main(void)
{
    FILE *file = tmpfile();
    const char *path = "kiln-example-files.bin";
    tables();
    arrays(file);
    memory(path);
    fclose(file);
    remove(path);
    kn_shutdown();
    return 0;
}
