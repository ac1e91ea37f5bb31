/* SPDX-License-Identifier: Apache-2.0
 * page.c -- reads a photographed page of a book with two trained networks in ONNX's format (PP-OCRv4, of the package
 * rapidocr-onnxruntime): one says where lines of text are, the other what is written on them.
 * usage: page [FOLDER]     with ocr_detect.onnx, ocr_recognize.onnx and page.png, which scripts/models-venv.sh puts into
 *                          build/peers-models/packages; without them it says so and ends with status 77 */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <kiln/models.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINES = 64, HEIGHT = 48 };

typedef struct {
    int64_t top, bottom, left, right;
} Box;

/* The networks want three equal channels from -1 to 1, (1, 3, height, width); what fills up is grey. */
static kn_array as_input(kn_array gray, int64_t height, int64_t width)
{
    int64_t h = kn_dim(gray, 0), w = kn_dim(gray, 1);
    kn_array x = kn_lax_pad(kn_sub(kn_div(gray, 127.5), 1), 0, KN_PADDING({0, height - h, 0}, {0, width - w, 0}));
    return kn_broadcast_to(x, KN_SHAPE(1, 3, height, width));
}

/* A matrix (n, m) that makes n samples of m by linear interpolation between neighbours. */
static kn_array samples(int64_t n, int64_t m)
{
    kn_array at = kn_sub(kn_mul(kn_add(kn_arange(0, (double)n, 1, .dtype = KN_F32), 0.5), (double)m / (double)n), 0.5);
    at = kn_expand_dims(kn_clip(at, 0, (double)(m - 1)), KN_AXIS(1));
    return kn_maximum(kn_sub(1, kn_abs(kn_sub(at, kn_arange(0, (double)m, 1, .dtype = KN_F32)))), 0);
}

/* Text is where the network says more than 0.3; rows with enough of it, side by side, are a line. A line's box is larger
 * than what the network marks, which keeps neighbours apart. */
static int find_lines(kn_onnx detect, kn_array gray, Box *box)
{
    int64_t h = kn_dim(gray, 0), w = kn_dim(gray, 1);
    kn_array x = as_input(gray, (h + 31) / 32 * 32, (w + 31) / 32 * 32), p;
    p = kn_tree_get(kn_onnx_run(detect, kn_tree_list(x)), 0);
    kn_array text = kn_at(kn_greater(p, 0.3), "0, 0, :%, :%", h, w);
    const bool *row = kn_data(kn_greater(kn_mean(text, KN_AXIS(1)), 0.05), bool);
    int n = 0;
    for (int64_t top = 0; row && top < h && n < MAX_LINES; top++) {
        int64_t bottom = top;
        while (bottom < h && row[bottom])
            bottom++;
        if (bottom == top)
            continue;
        kn_array columns = kn_any(kn_at(text, "%:%", top, bottom), KN_AXIS(0));
        int64_t left = (int64_t)kn_item(kn_argmax(columns)), right = w - (int64_t)kn_item(kn_argmax(kn_flip(columns)));
        int64_t more = llround(0.45 * (double)(bottom - top));
        box[n++] = (Box){top > more ? top - more : 0, bottom + more < h ? bottom + more : h,
                         left > more ? left - more : 0, right + more < w ? right + more : w};
        top = bottom;
    }
    return n;
}

/* A line, 48 pixels high and as long as it is then. */
static kn_array cut_out(kn_array gray, const Box *box)
{
    kn_array part = kn_at(gray, "%:%, %:%", box->top, box->bottom, box->left, box->right);
    int64_t height = kn_dim(part, 0), width = kn_dim(part, 1), length = HEIGHT * width / height;
    kn_array line = kn_matmul(kn_matmul(samples(HEIGHT, height), part), kn_transpose(samples(length, width)));
    return as_input(line, HEIGHT, length);
}

/* The letter that the model's own list, with one on each line, has at i; behind the last one is the space. */
static void print_letter(const char *letters, int64_t i)
{
    while (i-- > 0 && letters) {
        letters = strchr(letters, '\n');
        letters = letters ? letters + 1 : NULL;
    }
    if (letters)
        printf("%.*s", (int)strcspn(letters, "\n"), letters);
    else
        printf(" ");
}

/* The best class of each place: 0 is nothing, and the same one again is the same letter (greedy CTC). */
static void read_line(kn_onnx recognize, kn_array line)
{
    kn_array best = kn_argmax(kn_tree_get(kn_onnx_run(recognize, kn_tree_list(line)), 0), KN_AXIS(-1));
    const int64_t *said = kn_data(best, int64_t);
    const char *letters = kn_onnx_metadata(recognize, "character");
    for (int64_t i = 0; said && letters && i < kn_size(best); i++)
        if (said[i] && (!i || said[i] != said[i - 1]))
            print_letter(letters, said[i] - 1);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"ocr_detect.onnx", "ocr_recognize.onnx", "page.png"};
    const char *folder = argc > 1 ? argv[1] : "build/peers-models/packages";
    char path[3][4096];
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, files[i]);
        if (access(path[i], R_OK)) {
            printf("skipped: %s is not there (scripts/models-venv.sh fetches it)\n", path[i]);
            return 77;
        }
    }
    KN_SCOPE;
    kn_onnx detect = kn_onnx_load(path[0]), recognize = kn_onnx_load(path[1]);
    kn_array gray = kn_astype(kn_image_load(path[2]), KN_F32);
    Box box[MAX_LINES];
    int n = kn_error_pending() ? 0 : find_lines(detect, gray, box);
    if (kn_error_pending())
        return kn_finish();
    printf("%d lines on a page of %d x %d pixels\n", n, (int)kn_dim(gray, 1), (int)kn_dim(gray, 0));
    for (int i = 0; i < n && !kn_error_pending(); i++) {
        KN_SCOPE;
        read_line(recognize, cut_out(gray, &box[i]));
    }
    int status = kn_finish();
    return status ? status : !n;
}
