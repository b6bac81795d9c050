/* The plan of any slices is that of the tests' oracle. The first bytes choose the rules, each five
 * after them a slice, or some that nest. */
#include "../model/grid.h"
#include "../model/plan_oracle.h"
#include "fuzz.h"
#include "plan.h"
#include "sort.h"
#include "viewer_time.h"

enum { SLICES_MAX = 600 };

DEFINE_SORT(sort_slices, struct slice, slice_less)

static size_t decode(const uint8_t *data, size_t n, int64_t base_ns, struct slice *s,
                     struct kinds *kinds, uint8_t *arrows)
{
    size_t count = 0;
    for (; n >= 5; data += 5, n -= 5) {
        int64_t start = data[0] * INT64_C(256) + data[1];
        int64_t dur = (int64_t)data[2] << (data[3] & 7);
        size_t nested = data[3] >> 3 == 31 ? 100 : 1 + (data[3] >> 3) / 8;
        for (size_t i = 0; i < nested && count < SLICES_MAX; i++) {
            int64_t in = (int64_t)i <= dur / 2 ? (int64_t)i : dur / 2;
            s[count] = (struct slice){base_ns + start + in, base_ns + start + dur - in, count};
            MUST(kinds_add(kinds, count, data[4] & (KIND_BITS | KIND_KEEP_TIMES)));
            arrows[count++] = data[4] >> 6;
        }
    }
    return count;
}

static void compare(struct slice *s, size_t n, struct plan_rules *rules, const uint8_t *arrows)
{
    static uint8_t sorted_arrows[SLICES_MAX];
    static struct oracle_slice o[SLICES_MAX];
    static uint32_t lane[SLICES_MAX];
    struct oracle_rules oracle_rules = {.threshold_ns = rules->threshold_ns,
                                        .start_ceil = rules->start_ceil,
                                        .dur_floor = rules->dur_floor,
                                        .snap = (enum oracle_snap)rules->snap,
                                        .trace_end_ns = rules->trace_end_ns,
                                        .trim_unfinished = rules->trim_unfinished};
    struct rewrites out = {0};
    struct plan_stats stats;
    size_t lanes = 0;
    for (size_t i = 0; i < n; i++)
        o[i] = (struct oracle_slice){.start_ns = s[i].start_ns,
                                     .end_ns = s[i].end_ns,
                                     .kind = kinds_get(rules->kinds, i),
                                     .arrows = arrows[i]};
    oracle_plan(o, n, &oracle_rules);
    sort_slices(s, n);
    for (size_t i = 0; i < n; i++)
        sorted_arrows[i] = arrows[slice_off(&s[i])];
    rules->arrows = sorted_arrows;
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
    static uint8_t arrows[SLICES_MAX];
    struct kinds kinds = {0};
    if (n < 2)
        return 0;
    struct plan_rules rules = {.threshold_ns = data[0] * INT64_C(40),
                               .start_ceil = grid_same,
                               .dur_floor = grid_same,
                               .snap = (enum plan_snap)((data[1] >> 4) % 3),
                               .kinds = &kinds,
                               .trim_unfinished = data[1] & 8};
    int64_t base_ns = bases_ns[data[1] % 4];
    if (base_ns) {
        rules.start_ceil = viewer_ns_ceil;
        rules.dur_floor = viewer_ns_floor;
    } else if (data[1] & 4) {
        rules.start_ceil = grid_ceil;
        rules.dur_floor = grid_floor;
    }
    size_t count = decode(data + 2, n - 2, base_ns, s, &kinds, arrows);
    for (size_t i = 0; i < count; i++)
        if (s[i].end_ns > rules.trace_end_ns)
            rules.trace_end_ns = s[i].end_ns;
    compare(s, count, &rules, arrows);
    kinds_free(&kinds);
    return 0;
}
