/* A member of the outer object: it is mended as the args of an event are. */
#include "mend.h"

#include <string.h>

#define BEGIN "{\"\":{"
#define END "}}"

enum mend_result mend_member(struct mend *m, const char *text, size_t n, struct buf *out)
{
    struct buf event = {0}, mended = {0};
    finding_set found;
    buf_add_str(&event, BEGIN);
    buf_add(&event, text, n);
    buf_add_str(&event, END);
    enum mend_result result = MEND_NO_MEMORY;
    if (!event.failed)
        result = mend_event(m, event.data, event.len, out ? &mended : NULL, &found);
    if (result == MEND_DONE && out)
        buf_add(out, mended.data + strlen(BEGIN), mended.len - strlen(BEGIN) - strlen(END));
    buf_free(&event);
    buf_free(&mended);
    return result;
}
