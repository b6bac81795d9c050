/* What this build was made from. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

/* What git calls it, such as "v0.1.0-12-g0123456789-dirty"; "" if it was not built in a checkout.
 * The Makefile passes it, and builds no other file anew when it changes. */
const char *build_description(void);

#endif
