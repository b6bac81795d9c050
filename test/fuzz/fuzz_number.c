/* Number tokens are read as the tests' model reads them, and what is written reads back as it was
 * planned. The first 8 bytes are a time, the rest is a token. */
#include "../model/model.h"
#include "fuzz.h"
#include "viewer_time.h"

static void check_token(const char *token, size_t n)
{
    int64_t ns = 0, model = 0, whole = 0;
    bool good = viewer_ns(token, n, &ns);
    MUST(good == model_ns(token, n, &model));
    MUST(!good || ns == model);
    MUST(!good || number_valid(token, n));
    MUST(number_decimals(token, n) == model_decimals(token, n));
    bool has_whole = number_whole(token, n, &whole);
    MUST(!has_whole || number_valid(token, n));
    struct model_id id = model_id_of(token, &(struct model_value){MODEL_BARE, 0, n});
    uint32_t number = has_whole && whole >= 0 && whole <= UINT32_MAX ? (uint32_t)whole : 0;
    MUST(number == id.number);
}

static void check_printed(int64_t ns, bool three_decimals)
{
    char token[VIEWER_NS_PRINT_MAX];
    int64_t back;
    size_t n = viewer_ns_print(token, ns, three_decimals);
    MUST(n <= sizeof token);
    MUST(model_ns(token, n, &back) && back == ns);
    size_t decimals = model_decimals(token, n);
    MUST(three_decimals ? decimals == 3 : decimals <= 3);
}

static void check_time(int64_t ns)
{
    int64_t up = viewer_ns_ceil(ns), down = viewer_ns_floor(ns);
    MUST(up >= ns && down <= ns);
    if (ns < INT64_MAX - 20000 && ns % 4 == 0) { /* the model's search takes its time */
        MUST(up == model_ns_ceil(ns));
        MUST(down == model_ns_floor(ns));
    }
    for (int three = 0; three < 2; three++) {
        if (up < INT64_MAX)
            check_printed(up, three);
        check_printed(down, three);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint64_t bits = 0;
    if (n < 8)
        return 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | data[i];
    check_time((int64_t)(bits & INT64_MAX) >> data[0] % 40);
    n -= 8;
    char *token = malloc(n); /* so that reading beyond it is noticed */
    if (n)
        memcpy(token, data + 8, n);
    check_token(token, n);
    free(token);
    return 0;
}
