/*
 * A parser of Version One headers as a shared library, and what shows it to the fuzzer:
 *
 *     cc -std=c11 -O2 -shared -fPIC -o parser.so parser.c
 *     rpcrdma fuzz v1-header --library ./parser.so --time 60
 *
 * With -DBUG it looks for one word less than the last segment of a chunk takes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Reads `length` octets.  Returns how many characters of `answer` are the answer, which needs no
 * zero at its end, or a negative number where the octets are no header.  `room` is 65536 or more.
 * The answer is decimal numbers with a space between: how many octets the header takes, and then
 * each number in the order of the XDR.
 */
int32_t rpcrdma_parse(const uint8_t *octets, size_t length, char *answer, size_t room);

enum { RDMA_MSG, RDMA_NOMSG, RDMA_MSGP, RDMA_DONE, RDMA_ERROR };
enum { ERR_VERS = 1, ERR_CHUNK = 2 };
enum { TOO_SHORT = -1, NO_BOOLEAN = -2, NO_PROCEDURE = -3, NO_ERROR = -4, NO_ROOM = -5 };

struct segment {
    uint32_t handle, length;
    uint64_t offset;
};

struct work {
    const uint8_t *octets;
    size_t length, place;
    char *answer;
    size_t room, used;
    int32_t failure; /* the first one; nothing is read after it */
};

static bool fail(struct work *work, int32_t why)
{
    if (!work->failure)
        work->failure = why;
    return false;
}

static void say(struct work *work, uint64_t number)
{
    size_t left = work->room - work->used;
    int written = snprintf(work->answer + work->used, left, " %" PRIu64, number);

    if (written < 0 || (size_t)written >= left)
        fail(work, NO_ROOM);
    else
        work->used += (size_t)written;
}

static bool has(struct work *work, size_t octets)
{
    if (work->failure)
        return false;
    return work->length - work->place >= octets || fail(work, TOO_SHORT);
}

static uint32_t taken(struct work *work)
{
    const uint8_t *at = work->octets + work->place;

    work->place += 4;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t number(struct work *work)
{
    return has(work, 4) ? taken(work) : 0;
}

static uint32_t said_number(struct work *work)
{
    uint32_t found = number(work);

    say(work, found);
    return found;
}

static bool is_true(struct work *work)
{
    uint32_t found = number(work);

    return found > 1 ? fail(work, NO_BOOLEAN) : found;
}

static void segment(struct work *work)
{
    struct segment found;
#ifdef BUG
    size_t wanted = 12;
#else
    size_t wanted = 16;
#endif

    if (!has(work, wanted))
        return;
    found.handle = taken(work);
    found.length = taken(work);
    found.offset = (uint64_t)taken(work) << 32;
    found.offset |= taken(work);
    say(work, found.handle);
    say(work, found.length);
    say(work, found.offset);
}

static void write_chunk(struct work *work)
{
    uint32_t count = said_number(work);

    while (count-- && !work->failure)
        segment(work);
}

static void read_segment(struct work *work)
{
    said_number(work);
    segment(work);
}

/* A list is said as its length and its entries, so it is read twice: first to count. */
static void list(struct work *work, void entry(struct work *))
{
    struct work counted = *work;
    uint64_t count = 0;

    for (; is_true(&counted); count++) {
        counted.used = work->used; /* what is said while counting is said for nobody */
        entry(&counted);
    }
    say(work, count);
    while (is_true(work))
        entry(work);
}

static void lists(struct work *work)
{
    list(work, read_segment);
    list(work, write_chunk);
    bool reply = is_true(work);
    say(work, reply);
    if (reply)
        write_chunk(work);
}

static void error(struct work *work)
{
    switch (said_number(work)) {
    case ERR_VERS:
        said_number(work);
        said_number(work);
        break;
    case ERR_CHUNK:
        break;
    default:
        fail(work, NO_ERROR);
    }
}

static void body(struct work *work)
{
    switch (said_number(work)) {
    case RDMA_MSGP:
        said_number(work);
        said_number(work);
        lists(work);
        break;
    case RDMA_MSG:
    case RDMA_NOMSG:
        lists(work);
        break;
    case RDMA_ERROR:
        error(work);
        break;
    case RDMA_DONE:
        break;
    default:
        fail(work, NO_PROCEDURE);
    }
}

/* Reads a header, and says first how many octets it takes: known at the end, so read twice. */
int32_t rpcrdma_parse(const uint8_t *octets, size_t length, char *answer, size_t room)
{
    size_t consumed = 0;

    for (int time = 0; time < 2; time++) {
        struct work work = {octets, length, 0, answer, room, 0, 0};
        int written = snprintf(answer, room, "%zu", consumed);

        work.used = (size_t)written;
        for (int word = 0; word < 3; word++)
            said_number(&work);
        body(&work);
        if (work.failure)
            return work.failure;
        consumed = work.place;
        if (time)
            return (int32_t)work.used;
    }
    return NO_ROOM;
}
