#include "share_jobs.h"

unsigned share_jobs(unsigned idle, uint64_t nbytes, uint64_t left_nbytes)
{
    while (left_nbytes >> 48) { /* so that nothing below overflows */
        left_nbytes >>= 1;
        nbytes >>= 1;
    }
    if (!left_nbytes || nbytes > left_nbytes)
        nbytes = left_nbytes = 1;
    uint64_t share = (2 * nbytes * idle + left_nbytes) / (2 * left_nbytes);
    return share < 1 ? 1 : share < idle ? (unsigned)share : idle;
}
