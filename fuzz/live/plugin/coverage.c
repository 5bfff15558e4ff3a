/*
 * A plugin of QEMU's translator (TCG): counts how often each block of code in a part of the
 * guest's memory is executed, in a file that the host maps as well.
 *
 *     -plugin coverage.so,counts=PATH,from=0xffffffffc0000000,to=0xffffffffff000000
 *
 * The file was made by `fuzz/live/block_file.py`, which describes its layout.  Every block of that
 * part is counted, whoever's it is: whose it is can only be told once the guest is up, and by then
 * QEMU has translated blocks that it does not translate again.
 *
 * The interface is that of QEMU 7.2 (version 1 of it, and of later ones up to 8.2); no package of
 * the system brings its declarations, so that those which are used here stand below.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- QEMU's interface for plugins, as much of it as is used */

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_info_t;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void (*translated_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translated_t translated);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block,
                                                     enum qemu_plugin_op op, void *where,
                                                     uint64_t number);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);

EXPORTED int qemu_plugin_version = 1;

/* -- the file; keep it as `fuzz/live/block_file.py` has it */

static const char MAGIC[8] = "RPCBLKS1";

struct head {
    char magic[8];
    uint64_t capacity; /* blocks that there is room for: written by the host */
    uint64_t used;     /* blocks that have been translated */
    uint64_t lost;     /* that found no room */
};

static struct head *head;
static uint64_t *addresses; /* of the blocks, in the order of their first translation */
static uint64_t *counts;    /* how often each was executed */
static uint64_t first_address, end_address;

/* -- address -> number of the block; twice as many places as blocks, so that one is always free */

static uint64_t *places; /* a block's number and 1; 0: free */
static uint64_t place_mask;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one thread a processor translates */

static uint64_t *count_of(uint64_t address)
{
    uint64_t place = (address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & place_mask;

    while (places[place] != 0) {
        uint64_t number = places[place] - 1;
        if (addresses[number] == address)
            return &counts[number];
        place = (place + 1) & place_mask;
    }
    if (head->used == head->capacity) {
        head->lost++;
        return NULL;
    }
    uint64_t number = head->used;
    addresses[number] = address;
    places[place] = number + 1;
    /* Whoever sees the new number of blocks sees the address of the last one, too. */
    __atomic_store_n(&head->used, number + 1, __ATOMIC_RELEASE);
    return &counts[number];
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    uint64_t address = qemu_plugin_tb_vaddr(block);
    uint64_t *count;

    (void)id;
    if (address < first_address || address >= end_address)
        return;
    pthread_mutex_lock(&lock);
    count = count_of(address);
    pthread_mutex_unlock(&lock);
    if (count != NULL)
        qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, count, 1);
}

static int refused(const char *why)
{
    fprintf(stderr, "coverage plugin: %s\n", why);
    return -1;
}

static int map_file(const char *path)
{
    struct stat state;
    uint64_t size;
    void *memory = MAP_FAILED;
    int file = open(path, O_RDWR | O_CLOEXEC);

    if (file >= 0 && fstat(file, &state) == 0 && (size_t)state.st_size >= sizeof(struct head))
        memory = mmap(NULL, (size_t)state.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return refused("the file cannot be mapped");
    head = memory;
    size = ((uint64_t)state.st_size - sizeof(struct head)) / (2 * sizeof(uint64_t));
    if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->capacity == 0 ||
        (head->capacity & (head->capacity - 1)) != 0 || head->capacity > size)
        return refused("the file has another layout");
    addresses = (uint64_t *)(head + 1);
    counts = addresses + head->capacity;
    place_mask = 2 * head->capacity - 1;
    places = calloc(2 * head->capacity, sizeof *places);
    return places != NULL ? 0 : refused("there is no memory");
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                                 char **argv)
{
    const char *path = NULL;

    (void)info;
    for (int number = 0; number < argc; number++) {
        if (strncmp(argv[number], "counts=", 7) == 0)
            path = argv[number] + 7;
        else if (strncmp(argv[number], "from=", 5) == 0)
            first_address = strtoull(argv[number] + 5, NULL, 0);
        else if (strncmp(argv[number], "to=", 3) == 0)
            end_address = strtoull(argv[number] + 3, NULL, 0);
        else
            return refused("an argument is unknown");
    }
    if (path == NULL || first_address >= end_address)
        return refused("counts=PATH,from=ADDRESS,to=ADDRESS are wanted");
    if (map_file(path) != 0)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
