#include "description.h"

#ifndef GIT_DESCRIPTION
#define GIT_DESCRIPTION ""
#endif

const char *build_description(void)
{
    return GIT_DESCRIPTION;
}
