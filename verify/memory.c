#include "verify/memory.h"
#include "core/types.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0xa5, SURROUNDINGS = 1024, FENCE = 64 };

bool memory_map(memory_array *a, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t capacity = round_up(bytes + 64, page);
    a->map_bytes = capacity + 2 * page;
    a->map = mmap(NULL, a->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a->map == MAP_FAILED) {
        a->map = NULL;
        return false;
    }
    a->begin = a->map + page;
    a->end = a->begin + capacity;
    return mprotect(a->begin, capacity, PROT_READ | PROT_WRITE) == 0;
}

void memory_unmap(memory_array *a) {
    if (a->map) munmap(a->map, a->map_bytes);
    a->map = NULL;
}

static void fill(const memory_array *a, unsigned char *from, unsigned char *to) {
    if (from < a->begin) from = a->begin;
    if (to > a->end) to = a->end;
    if (from < to) memset(from, 0xff, (size_t)(to - from));
}

void *memory_at(memory_array *a, match_offset offset, size_t n, size_t element_bytes) {
    static const size_t skipped[] = {[OFFSET_0] = 0, [OFFSET_1] = 1, [OFFSET_3] = 3};
    const size_t bytes = n * element_bytes;
    unsigned char *x = offset == OFFSET_END ? a->end - bytes : a->begin + skipped[offset] * element_bytes;
    const size_t before = (size_t)(x - a->begin), after = (size_t)(a->end - x) - bytes;
    fill(a, x - (before < SURROUNDINGS ? before : SURROUNDINGS), x);
    fill(a, x + bytes, x + bytes + (after < SURROUNDINGS ? after : SURROUNDINGS));
    return x;
}

void *memory_poison(memory_out *o, const match_case *c) {
    const size_t bytes = match_out_bytes(c), shift = c->operation->shape->values ? c->turn % 4 : 0;
    o->at = FENCE + shift * c->operation->shape->out_bytes(c);
    o->count = o->at + (bytes < FENCE ? FENCE : bytes) + FENCE;
    if (o->count > o->capacity) {
        memory_drop(o);
        o->capacity = (2 * o->count + 63) / 64 * 64;
        o->bytes = aligned_alloc(64, o->capacity);
    }
    if (!o->bytes) return NULL;
    memset(o->bytes, POISON, o->count);
    return memory_output(o);
}

void memory_drop(memory_out *o) {
    free(o->bytes);
    o->bytes = NULL;
    o->capacity = 0;
}

static bool is_poison(const unsigned char *from, const unsigned char *to) {
    while (from < to && *from == POISON) from++;
    return from == to;
}

bool memory_intact(const memory_out *o, size_t written) {
    return is_poison(o->bytes, memory_output(o)) && is_poison(memory_output(o) + written, o->bytes + o->count);
}
