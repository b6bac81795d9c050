/* Any bytes as an event: what is mended is JSON to an independent reader, mending it again changes
 * nothing, and only what was JSON stays as it is. */
#include "../model/strict.h"
#include "fuzz.h"
#include "mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct mend m = {0};
    struct buf out = {0}, again = {0};
    finding_set found, nothing;
    char *text = malloc(n + 1); /* so that reading beyond it is noticed */
    memcpy(text, data, n);
    text = realloc(text, n ? n : 1);
    enum mend_result result = mend_event(&m, text, n, &out, &found);
    MUST(result != MEND_NO_MEMORY);
    MUST(mend_event(&m, text, n, NULL, &nothing) == result && nothing == found);
    MUST((result == MEND_SAME) == strict_event(text, n));
    if (result == MEND_SAME)
        MUST(!found);
    if (result == MEND_DONE) {
        MUST(found && strict_event(out.data, out.len));
        MUST(mend_event(&m, out.data, out.len, &again, &nothing) == MEND_SAME && !nothing);
    } else {
        MUST(!out.len);
    }
    buf_free(&out);
    buf_free(&again);
    mend_free(&m);
    free(text);
    return 0;
}
