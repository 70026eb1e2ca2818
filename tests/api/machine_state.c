/* Checks the rules of the x86-64 ABI for a function's return, around every operation, type and parameter at every
 * level of the instruction set: the x87 registers are empty, the control words of x87 and SSE are unchanged, the
 * direction flag is clear, and rbx, rbp and r12 to r15 are preserved. The argument is the device's name; "cpu" tests
 * all levels.
 */
#include "tests/expect.h"

#if defined(__x86_64__)
#include "verify/match.h"

#include <stdint.h>
#include <stdlib.h>
#include <xmmintrin.h>

enum { KEPT = 6, LEVELS = 5, LEAST = 257, MOST = 20000, ENOUGH = 2, OPERATIONS = 128, TYPES = 16, PARAMETERS = 64 };

/* abi_call(f, argument, found): loads rbx, rbp and r12 to r15 with known values, calls f(argument), and then stores
 * the values of these registers. */
void abi_call(void (*f)(void *), void *argument, uint64_t found[KEPT]);
__asm__(".text\n"
        ".type abi_call, @function\n"
        "abi_call:\n"
        "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n push %rdx\n"
        "mov %rdi, %rax\n mov %rsi, %rdi\n"
        "movabs $0x1111111111111111, %rbx\n"
        "movabs $0x2222222222222222, %rbp\n"
        "movabs $0x3333333333333333, %r12\n"
        "movabs $0x4444444444444444, %r13\n"
        "movabs $0x5555555555555555, %r14\n"
        "movabs $0x6666666666666666, %r15\n"
        "call *%rax\n"
        "pop %rdx\n"
        "mov %rbx, 0(%rdx)\n mov %rbp, 8(%rdx)\n mov %r12, 16(%rdx)\n"
        "mov %r13, 24(%rdx)\n mov %r14, 32(%rdx)\n mov %r15, 40(%rdx)\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "ret\n"
        ".size abi_call, . - abi_call\n");

static const uint64_t LOADED[KEPT] = {0x1111111111111111, 0x2222222222222222, 0x3333333333333333,
                                      0x4444444444444444, 0x5555555555555555, 0x6666666666666666};

/* --------------------------------------------------------------------------------- the state */

typedef struct machine_state {
    unsigned x87_control, x87_tags, mxcsr, direction;
} machine_state;

static machine_state read_state(void) {
    struct {
        uint16_t control, unused0, status, unused1, tags, unused2;
        uint32_t rest[4];
    } x87;
    uint64_t flags;
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(x87));
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags));
    return (machine_state){x87.control, x87.tags, _mm_getcsr() & ~0x3fu, (unsigned)(flags >> 10 & 1)};
}

/* Sets a precision of 53 bits and upward rounding for x87, and for SSE upward rounding and flushing of subnormals. */
static void set_foreign_mode(bool on) {
    const uint16_t control = on ? 0x0a7f : 0x037f;
    __asm__ volatile("fldcw %0" : : "m"(control));
    _mm_setcsr(on ? 0xdfc0 : 0x1f80);
}

/* ---------------------------------------------------------------------------------- the calls */

/* Call of one case. */
typedef struct call {
    const match_case *c;
    weft_context *ctx;
    const void *const *inputs;
    void *out;
    weft_status status;
    machine_state after;
} call;

static void make_call(void *p) {
    call *k = p;
    k->status = k->c->operation->shape->call(k->c, k->ctx, k->inputs, k->out);
    k->after = read_state();
    __asm__ volatile("fninit\n\tcld" : : : "memory");
}

static void check_call(call *k, const char *level, bool foreign) {
    uint64_t found[KEPT];
    char name[100];
    const match_case *c = k->c;
    snprintf(name, sizeof name, "%s: %s of %s, accumulate %d, parameter %d, n %zu%s", level, c->operation->name,
             weft_dtype_name(c->dtype), (int)c->accumulate, c->parameter, c->n, foreign ? ", foreign mode" : "");
    set_foreign_mode(foreign);
    const machine_state before = read_state();
    abi_call(make_call, k, found);
    set_foreign_mode(false);
    const machine_state after = k->after;
    EXPECT(after.x87_tags == 0xffff, "%s: the x87 tag word is 0x%x", name, after.x87_tags);
    EXPECT(after.x87_control == before.x87_control, "%s: the x87 control word was 0x%x and is 0x%x", name,
           before.x87_control, after.x87_control);
    EXPECT(after.mxcsr == before.mxcsr, "%s: MXCSR was 0x%x and is 0x%x", name, before.mxcsr, after.mxcsr);
    EXPECT(after.direction == 0, "%s: the direction flag is set", name);
    EXPECT(memcmp(found, LOADED, sizeof found) == 0, "%s: a register was not kept", name);
}

/* ---------------------------------------------------------------------------------- the cases */

/* State shared by the visits. `seen` counts the visits of each operation, type, accumulate type and parameter. */
typedef struct visits {
    weft_context *contexts[LEVELS];
    const char *levels[LEVELS];
    size_t count;
    unsigned char seen[OPERATIONS][TYPES][MATCH_ACCUMULATE_COUNT][PARAMETERS];
    void *out;
    size_t out_bytes;
} visits;

static bool draw(void *self, uint64_t number) {
    (void)self;
    return number % 3 == 0;
}

static unsigned char *seen_of(visits *v, const match_case *c) {
    const size_t operation = (size_t)(c->operation - MATCH_OPERATIONS);
    size_t accumulate = 0;
    while (MATCH_ACCUMULATES[accumulate] != c->accumulate) accumulate++;
    return &v->seen[operation % OPERATIONS][c->dtype % TYPES][accumulate][c->parameter % PARAMETERS];
}

static bool visit(void *self, const match_case *c, const void *const *inputs) {
    visits *v = self;
    const size_t bytes = match_out_bytes(c) + 64;
    if (c->n < LEAST || c->n > MOST || *seen_of(v, c) >= ENOUGH) return true;
    if (bytes > v->out_bytes) {
        free(v->out);
        v->out = malloc(bytes);
        v->out_bytes = bytes;
        if (!EXPECT(v->out != NULL, "cannot allocate memory for %zu bytes", bytes)) return false;
    }
    const bool foreign = (*seen_of(v, c))++ % 2 == 1;
    for (size_t i = 0; i < v->count; i++)
        check_call(&(call){.c = c, .ctx = v->contexts[i], .inputs = inputs, .out = v->out}, v->levels[i], foreign);
    return true;
}

int main(int argc, char **argv) {
    static const char *const names[LEVELS] = {"cpu:base", "cpu:v2", "cpu:v3", "cpu:v4", "cpu:amx"};
    static visits v;
    const match_visitor visitor = {.self = &v, .number = draw, .visit = visit};
    const char *device = argc > 1 ? argv[1] : "cpu";
    const bool all = strcmp(device, "cpu") == 0;
    for (size_t i = 0; i < (all ? LEVELS : 1); i++) {
        v.levels[v.count] = all ? names[i] : device;
        if (weft_open(&v.contexts[v.count], v.levels[v.count]) != WEFT_OK) continue;
        EXPECT_STATUS(v.contexts[v.count], weft_set_threads(v.contexts[v.count], 1), WEFT_OK);
        v.count++;
    }
    EXPECT(v.count > 0, "no device is there");
    EXPECT(match_walk(MATCH_TINY, NULL, &visitor), "cannot allocate memory for the inputs");
    for (size_t i = 0; i < v.count; i++) weft_close(v.contexts[i]);
    free(v.out);
    return expect_end();
}

#else

int main(void) {
    puts("the machine's state is known for x86-64 alone: left out");
    return 0;
}

#endif
