/* A thread gets at least the work that the calling thread does while it wakes. THREAD_BYTES are that work if the
 * threads are awake, because calls follow each other. If they sleep, it depends on the machine: bare metal takes a
 * few microseconds, a virtual machine 10 to 30. The first WAKES regions that wake all threads of a crew measure the
 * time, at the cost of two clock reads each. Until then, threads that sleep are treated as awake. */
#include "cpu/runtime/thread_count.h"
#include "core/executor.h"
#include "core/types.h"
#include "core/watch.h"
#include "cpu/runtime/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    THREAD_BYTES = 1 << 16,   /* minimum bytes per thread if the threads are awake */
    WAKE_BYTES_MAX = 1 << 18, /* greatest minimum if they sleep */
    SET_BYTES_MIN = 1 << 10,  /* least value of WEFT_THREAD_BYTES */
    BYTES_PER_NANOSECOND = 8, /* typical for one thread whose data are in its caches */
    READING = 16,             /* bytes that count as one in cpu_threads_for_reading, */
    READING_SET = 2,          /* and if WEFT_THREAD_BYTES is set */
    WAKES = 7                 /* measured wakes, of which the median is used */
};

static size_t thread_bytes = THREAD_BYTES;       /* minimum bytes per thread if the threads are awake */
static _Atomic size_t wake_bytes = THREAD_BYTES; /* minimum bytes per thread if they sleep */
static size_t reading = READING;                 /* bytes of a reduction that count as one */
static atomic_bool known;                        /* wake_bytes has its final value */
static _Atomic int64_t last; /* latest time at which a region ended or a call with work for several threads began */
static atomic_flag adding = ATOMIC_FLAG_INIT; /* a thread is in thread_count_add_wake */
static pthread_once_t environment_read = PTHREAD_ONCE_INIT;

static void read_environment(void) {
    const char *const text = getenv("WEFT_THREAD_BYTES");
    char *end;
    const long long bytes = text ? strtoll(text, &end, 10) : 0;
    if (bytes < SET_BYTES_MIN || *end != '\0') return;
    thread_bytes = (size_t)bytes;
    reading = READING_SET;
    atomic_store(&known, true);
    atomic_store(&wake_bytes, thread_bytes);
}

/* Returns true if the threads that took part in the previous call, or could have, are still awake. A call on one
 * thread is taken to last a nanosecond per byte. */
static bool are_awake(size_t bytes) {
    const int64_t now = progress_clock();
    const int64_t before = atomic_exchange_explicit(&last, now, memory_order_relaxed);
    return now - before < SPIN + (int64_t)bytes;
}

int cpu_threads_for(int most, size_t bytes) {
    weft_fpmode mode;
    if (most == 1) return 1;
    pthread_once(&environment_read, read_environment);
    const size_t threads = bytes / thread_bytes;
    const size_t for_sleepers = 2 * atomic_load_explicit(&wake_bytes, memory_order_relaxed);
    if (threads < 2) return 1;
    if (bytes < for_sleepers && !context_executor(&mode) && !are_awake(bytes)) return 1;
    return threads < (size_t)most ? (int)threads : most;
}

int cpu_threads_for_reading(int most, size_t bytes) {
    if (most == 1) return 1;
    pthread_once(&environment_read, read_environment);
    return cpu_threads_for(most, bytes / reading);
}

bool thread_count_is_known(void) {
    pthread_once(&environment_read, read_environment);
    return atomic_load_explicit(&known, memory_order_relaxed);
}

/* Ignores a wake if another thread adds one at the same time. */
void thread_count_add_wake(int64_t nanoseconds) {
    static int64_t times[WAKES]; /* ascending */
    static int count;
    if (atomic_flag_test_and_set(&adding)) return;
    if (count < WAKES) {
        int at = count++;
        for (; at > 0 && times[at - 1] > nanoseconds; at--) times[at] = times[at - 1];
        times[at] = nanoseconds;
        if (count == WAKES) {
            const uint64_t bytes = (uint64_t)times[WAKES / 2] * BYTES_PER_NANOSECOND;
            atomic_store(&wake_bytes, max_u64(THREAD_BYTES, min_u64(WAKE_BYTES_MAX, bytes)));
            atomic_store(&known, true);
        }
    }
    atomic_flag_clear(&adding);
}

void thread_count_end_region(int64_t now) { atomic_store_explicit(&last, now, memory_order_relaxed); }

void thread_count_forget(void) { atomic_flag_clear(&adding); }
