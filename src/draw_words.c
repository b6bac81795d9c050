/* What a picture says in words (draw.h). */
#include "draw.h"
#include "markup.h"

const char *draw_kind_name(enum kind kind)
{
    switch (kind) {
    case KIND_MARK:
        return "annotation or synchronisation";
    case KIND_PYTHON:
        return "Python";
    case KIND_OP:
        return "operator or other";
    case KIND_RUNTIME:
        return "runtime call";
    case KIND_DEVICE:
        return "kernel or memory copy";
    }
    return "";
}

void draw_time(struct buf *out, int64_t ns)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "\xC2\xA0s"},
                 {1000000, "\xC2\xA0ms"},
                 {1000, "\xC2\xA0\xC2\xB5s"},
                 {1, "\xC2\xA0ns"}};
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    size_t u = 0;
    while (u < 3 && size < (uint64_t)units[u].ns)
        u++;
    if (ns < 0)
        buf_add_str(out, "\xE2\x88\x92");
    uint64_t unit = (uint64_t)units[u].ns, whole = size / unit, rest = size % unit;
    buf_add_u64(out, whole);
    if (unit > 1000)
        rest = rest / (unit / 1000);
    if (rest) {
        char digits[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                         (char)('0' + rest % 10)};
        size_t n = 4;
        while (digits[n - 1] == '0')
            n--;
        buf_add(out, digits, n);
    }
    buf_add_str(out, units[u].name);
}

void draw_ts(struct buf *out, int64_t ns)
{
    buf_add_us(out, ns);
    buf_add_str(out, "\xC2\xA0\xC2\xB5s");
}

void draw_name(struct buf *out, const struct bar *bar, size_t columns)
{
    markup_cut(out, bar->name ? bar->name : "(no name)", columns);
}

/* Says of one boundary where it went. */
static void add_shift(struct buf *out, size_t begun, const char *what, const char *later,
                      const char *earlier, int64_t shift_ns)
{
    if (!shift_ns)
        return;
    buf_add_str(out, out->len > begun ? ", " : "");
    buf_add_str(out, what);
    buf_add_str(out, shift_ns > 0 ? later : earlier);
    draw_time(out, shift_ns < 0 ? -shift_ns : shift_ns);
}

void draw_change(struct buf *out, const struct scene *scene, const struct bar *bar)
{
    size_t begun = out->len;
    if (bar->lane) {
        const struct scene_lane *lane = &scene->lanes[bar->lane];
        buf_add_str(out, "moved to lane ");
        buf_add_u64(out, lane->number);
        buf_add_str(out, " (tid ");
        markup_cut(out, lane->tid, 24);
        buf_add_char(out, ')');
    }
    add_shift(out, begun, "start ", "delayed by ", "advanced by ",
              bar->start_ns[AFTER] - bar->start_ns[BEFORE]);
    add_shift(out, begun, "end ", "delayed by ", "trimmed by ",
              bar->end_ns[AFTER] - bar->end_ns[BEFORE]);
    if (out->len == begun)
        buf_add_str(out, "not changed");
}
