/* What a picture shows of a crossing: rows, crossings and the stretch of time. */
#include "scene.h"

#include "units.h"

static struct scene scene;

/* A slice that stays as it is. */
static size_t add(int64_t start_ns, int64_t end_ns)
{
    scene.bars[scene.nbars] =
        (struct bar){.kind = KIND_OP, .start_ns = {start_ns, start_ns}, .end_ns = {end_ns, end_ns}};
    return scene.nbars++;
}

static void begin(void)
{
    scene = (struct scene){.nlanes = 2, .over = SCENE_NONE};
}

START_TEST(crossing_slice_is_below_the_one_it_crosses)
{
    begin();
    add(0, 1000);
    scene.over = add(100, 400);
    scene.slice = add(300, 900);
    size_t behind = add(950, 990);
    scene.bars[scene.slice].lane = 1;
    scene_lay_out(&scene);
    ck_assert_uint_eq(scene.bars[scene.over].row[BEFORE], 1);
    ck_assert_uint_eq(scene.bars[scene.slice].row[BEFORE], 2);
    ck_assert(scene.bars[scene.slice].crosses && !scene.bars[scene.over].crosses);
    ck_assert_uint_eq(scene.bars[behind].row[BEFORE], 1);
    ck_assert_uint_eq(scene.bars[scene.slice].row[AFTER], 0);
    ck_assert_uint_eq(scene.lanes[0].nrows[BEFORE], 3);
    ck_assert_uint_eq(scene.lanes[0].nrows[AFTER], 2);
    ck_assert_uint_eq(scene.lanes[1].nrows[AFTER], 1);
    ck_assert_int_eq(scene.by_ns, 100);
    ck_assert_int_eq(scene.cross_from_ns, 300);
    ck_assert_int_eq(scene.cross_to_ns, 400);
    ck_assert_uint_eq(scene.more, 0);
}
END_TEST

START_TEST(part_that_crosses_is_the_shorter_one)
{
    begin();
    scene.over = add(100, 400);
    scene.slice = add(200, 450);
    scene_lay_out(&scene);
    ck_assert_int_eq(scene.cross_from_ns, 400);
    ck_assert_int_eq(scene.cross_to_ns, 450);
    ck_assert_int_le(scene.from_ns, 100);
    ck_assert_int_ge(scene.to_ns, 450);
}
END_TEST

START_TEST(misplaced_neighbour_gives_way_to_the_one_that_is_crossed)
{
    /* The first one crosses another one that is not in the scene, so the viewer does not show it,
     * and the second one is open where the third begins */
    begin();
    size_t misplaced = add(0, 110);
    scene.over = add(100, 200);
    scene.slice = add(150, 300);
    scene_lay_out(&scene);
    ck_assert(scene.bars[misplaced].crosses);
    ck_assert(!scene.bars[scene.over].crosses);
    ck_assert(scene.bars[scene.slice].crosses);
    ck_assert_uint_eq(scene.bars[misplaced].row[BEFORE], 0);
    ck_assert_uint_eq(scene.bars[scene.over].row[BEFORE], 1);
    ck_assert_uint_eq(scene.bars[scene.slice].row[BEFORE], 2);
}
END_TEST

START_TEST(small_crossing_is_seen_in_long_slices)
{
    begin();
    scene.over = add(0, 1000000);
    scene.slice = add(999990, 2000000000);
    scene_lay_out(&scene);
    ck_assert_int_le(scene.to_ns - scene.from_ns, (int64_t)10 * SCENE_ZOOM);
    ck_assert_int_lt(scene.from_ns, 999990);
    ck_assert_int_gt(scene.to_ns, 1000000);
}
END_TEST

START_TEST(any_times_have_a_stretch)
{
    const int64_t most = INT64_MAX;
    const int64_t times[][4] = {{0, 0, 0, 0},       {0, most, most - 1, most},
                                {0, most, 0, most}, {most - 1, most, most - 1, most},
                                {5, 5, 5, 5},       {most, most, most, most}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        begin();
        scene.over = add(times[i][0], times[i][1]);
        scene.slice = add(times[i][2], times[i][3]);
        scene_lay_out(&scene);
        ck_assert_int_ge(scene.from_ns, 0);
        ck_assert_int_gt(scene.to_ns, scene.from_ns);
    }
}
END_TEST

START_TEST(deep_crossing_is_shown_without_what_is_around)
{
    begin();
    for (int i = 0; i < 20; i++)
        scene.over = add(i, 1000 - i);
    scene.slice = add(500, 990);
    scene.bars[scene.slice].lane = 1;
    scene_lay_out(&scene);
    ck_assert_uint_eq(scene.bars[0].row[BEFORE], SCENE_NO_ROW);
    ck_assert_uint_eq(scene.bars[scene.over].row[BEFORE], SCENE_DEPTH_MAX - 2);
    ck_assert_uint_eq(scene.bars[scene.slice].row[BEFORE], SCENE_DEPTH_MAX - 1);
    ck_assert_uint_eq(scene.lanes[0].nrows[BEFORE], SCENE_DEPTH_MAX);
    /* The rows stay where they were */
    ck_assert_uint_eq(scene.bars[scene.over].row[AFTER], SCENE_DEPTH_MAX - 2);
    ck_assert_uint_eq(scene.bars[scene.slice].row[AFTER], 0);
    ck_assert_uint_eq(scene.more, 13);
}
END_TEST

START_TEST(what_has_changed)
{
    struct bar bar = {.start_ns = {1, 1}, .end_ns = {2, 2}};
    ck_assert(!bar_changed(&bar) && !bar_retimed(&bar));
    bar.lane = 1;
    ck_assert(bar_changed(&bar) && !bar_retimed(&bar));
    bar.end_ns[AFTER] = 3;
    ck_assert(bar_retimed(&bar));
}
END_TEST

Suite *scene_suite(void)
{
    const TTest *const tests[] = {crossing_slice_is_below_the_one_it_crosses,
                                  part_that_crosses_is_the_shorter_one,
                                  misplaced_neighbour_gives_way_to_the_one_that_is_crossed,
                                  small_crossing_is_seen_in_long_slices,
                                  any_times_have_a_stretch,
                                  deep_crossing_is_shown_without_what_is_around,
                                  what_has_changed};
    return SUITE_OF("scene", tests);
}
