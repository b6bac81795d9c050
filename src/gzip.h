/* Bytes -> one gzip member, compressed by a crew. */
#ifndef GZIP_H
#define GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "codec.h"
#include "crew.h"

enum { GZIP_HEADER = 10, GZIP_TRAILER = 8 };

/* A member's header, without name and time; `level` for its mark, if it is 1 or 9. */
void gzip_header(char header[GZIP_HEADER], int level);

/* A member's trailer, for `n` bytes of text with that CRC. */
void gzip_trailer(char trailer[GZIP_TRAILER], uint32_t crc, uint64_t n);

struct gzip;

/* What takes the compressed bytes; returns false if it cannot, which ends the matter. */
typedef bool gzip_put(void *context, const char *bytes, size_t n);

enum gzip_result { GZIP_OK, GZIP_NO_MEMORY, GZIP_PUT_FAILED };

/* NULL if there is no memory. `level` as in codec.h; `put` is called with `context`. The bytes that
 * it gets do not depend on the size of the crew, nor on how gzip_write's are sliced. */
struct gzip *gzip_new(enum codec codec, int level, struct crew *crew, gzip_put *put, void *context);

/* Waits for what the crew still does. NULL is fine. */
void gzip_free(struct gzip *gzip);

enum gzip_result gzip_write(struct gzip *gzip, const char *bytes, size_t n);

/* Ends the member. */
enum gzip_result gzip_finish(struct gzip *gzip);

#endif
