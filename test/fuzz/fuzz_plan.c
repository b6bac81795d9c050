/* The plan of any slices is that of the tests' oracle. The first bytes choose the rules, each four
 * after them a slice, or some that nest. */
#include "../model/grid.h"
#include "../model/plan_oracle.h"
#include "fuzz.h"
#include "plan.h"
#include "sort.h"
#include "viewer_time.h"

enum { SLICES_MAX = 600 };

DEFINE_SORT(sort_slices, struct slice, slice_less)

static size_t decode(const uint8_t *data, size_t n, int64_t base_ns, struct slice *s)
{
    size_t count = 0;
    for (; n >= 4; data += 4, n -= 4) {
        int64_t start = data[0] * INT64_C(256) + data[1];
        int64_t dur = (int64_t)data[2] << (data[3] & 7);
        size_t nested = data[3] >> 3 == 31 ? 100 : 1 + (data[3] >> 3) / 8;
        for (size_t i = 0; i < nested && count < SLICES_MAX; i++) {
            int64_t in = (int64_t)i <= dur / 2 ? (int64_t)i : dur / 2;
            s[count] = (struct slice){base_ns + start + in, base_ns + start + dur - in, count};
            count++;
        }
    }
    return count;
}

static void compare(struct slice *s, size_t n, const struct plan_rules *rules)
{
    static struct oracle_slice o[SLICES_MAX];
    static uint32_t lane[SLICES_MAX];
    struct oracle_rules oracle_rules = {rules->threshold_ns, rules->start_ceil, rules->dur_floor};
    struct rewrites out = {0};
    struct plan_stats stats;
    size_t lanes = 0;
    for (size_t i = 0; i < n; i++)
        o[i] = (struct oracle_slice){.start_ns = s[i].start_ns, .end_ns = s[i].end_ns};
    oracle_plan(o, n, &oracle_rules);
    sort_slices(s, n);
    MUST(plan_track(s, n, NULL, 0, rules, &out, &stats));
    memset(lane, 0, sizeof lane);
    for (size_t k = 0; k < out.n; k++) {
        MUST(out.items[k].slice < n);
        lane[out.items[k].slice] = out.items[k].lane;
    }
    for (size_t i = 0; i < n; i++) {
        const struct oracle_slice *x = &o[slice_off(&s[i])];
        MUST(s[i].start_ns == x->new_start_ns && s[i].end_ns == x->new_end_ns);
        MUST(lane[i] == x->lane);
        lanes = x->lane > lanes ? x->lane : lanes;
    }
    MUST(stats.lanes == lanes + 1);
    MUST((stats.crossings || stats.too_deep) == (out.n > 0));
    rewrites_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const int64_t bases_ns[] = {0, 0, INT64_C(4398046511104) * 1000 - 30000,
                                       INT64_C(1712195496004644000)};
    static struct slice s[SLICES_MAX];
    if (n < 2)
        return 0;
    struct plan_rules rules = {
        .threshold_ns = data[0] * INT64_C(40), .start_ceil = grid_same, .dur_floor = grid_same};
    int64_t base_ns = bases_ns[data[1] % 4];
    if (base_ns) {
        rules.start_ceil = viewer_ns_ceil;
        rules.dur_floor = viewer_ns_floor;
    } else if (data[1] & 4) {
        rules.start_ceil = grid_ceil;
        rules.dur_floor = grid_floor;
    }
    compare(s, decode(data + 2, n - 2, base_ns, s), &rules);
    return 0;
}
