/* What the model says of a trace, in one line. For a comparison with other models of the viewer.
 *
 *   model-stats TRACE        plain JSON
 *
 * Exit 2 if it cannot be read. */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

static char *read_all(FILE *file, size_t *n)
{
    char *text = NULL;
    size_t cap = 0, got = 1;
    for (*n = 0; got; *n += got) {
        text = model_grow(text, &cap, *n + 65536, 1);
        got = fread(text + *n, 1, 65536, file);
    }
    return text;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "model-stats: cannot open the trace\n");
        return 2;
    }
    size_t n, unbound = 0;
    char *text = read_all(file, &n);
    fclose(file);
    struct model *m = model_new(text, n);
    if (!m) {
        fprintf(stderr, "model-stats: %s: not a trace\n", argv[1]);
        free(text);
        return 2;
    }
    for (size_t i = 0; i < m->nflows; i++)
        unbound += m->flows[i].encloses && m->flows[i].bound_to == MODEL_NONE;
    printf("%zu events, %zu unreadable, %zu slices, %zu crossing, %zu spilled, %zu too deep, "
           "%zu unbound\n",
           m->nevents, m->nunreadable, m->nslices, m->crossings, m->spilled, m->too_deep, unbound);
    model_free(m);
    free(text);
    return 0;
}
