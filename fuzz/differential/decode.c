/*
 * One decoder that rpcgen made, as a function of memory: decodes, encodes what was decoded, and
 * keeps nothing.  HEADER is the file that rpcgen made of the types, ITEM the type, XDR_ITEM the
 * function that it made of the type.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include HEADER

/* The most elements that an array without a bound may claim; `for_rpcgen.py` puts it there. */
__thread u_int held_octets;

static uint8_t *counters;
static size_t mask;

/* Has blocks counted in memory of `count` octets, a power of two; without, none is. */
void count_in(uint8_t *memory, size_t count)
{
    counters = memory;
    mask = count - 1;
}

/* The compiler calls this at each block of what rpcgen made.  Hidden: a fuzzer may have one, too. */
__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    if (counters) {
        /* From one place of this library, wherever that was loaded. */
        uintptr_t block = (uintptr_t)__builtin_return_address(0) - (uintptr_t)count_in;
        uint8_t *counter = counters + (block & mask);

        if (*counter < UINT8_MAX)
            ++*counter;
    }
}

/* 1: the octets begin with an item; 0: they do not; -1: they do, but it cannot be encoded. */
int decode(const uint8_t *octets, size_t count, size_t *consumed, uint8_t *again, size_t room,
           size_t *length)
{
    ITEM item;
    XDR stream;
    bool_t taken, written = FALSE;
    /* Of exactly this length, so that a sanitizer sees what is read behind it. */
    char *copy = malloc(count ? count : 1);

    if (!copy)
        abort();
    memcpy(copy, octets, count);
    memset(&item, 0, sizeof item);
    held_octets = (u_int)count;

    xdrmem_create(&stream, copy, (u_int)count, XDR_DECODE);
    taken = XDR_ITEM(&stream, &item);
    *consumed = xdr_getpos(&stream);
    xdr_destroy(&stream);

    if (taken) {
        xdrmem_create(&stream, (char *)again, (u_int)room, XDR_ENCODE);
        written = XDR_ITEM(&stream, &item);
        *length = xdr_getpos(&stream);
        xdr_destroy(&stream);
    }
    xdr_free((xdrproc_t)XDR_ITEM, &item);
    free(copy);
    return taken ? (written ? 1 : -1) : 0;
}
