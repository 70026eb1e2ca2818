/* Runs weft on the threads that a program already has: job_system [N]
 * The job system is the simplest one: a queue of jobs, and workers that take them. A thread that waits for its jobs
 * takes jobs as well, so nothing waits for a worker that is busy. weft_set_executor gives it the tasks of weft. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { WORKERS = 3, QUEUE = 256, TASKS = 4 };

typedef struct job {
    void (*task)(void *arg, size_t index);
    void *arg;
    size_t index, *left; /* left: number of jobs of the same batch that have not returned */
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static job queue[QUEUE];
static size_t queued;
static bool ended;

/* Runs the newest job of the queue. The caller holds the lock. */
static void run_job(void) {
    const job j = queue[--queued];
    pthread_mutex_unlock(&lock);
    j.task(j.arg, j.index);
    pthread_mutex_lock(&lock);
    if (--*j.left == 0) pthread_cond_broadcast(&changed);
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ended || queued > 0)
        if (queued > 0)
            run_job();
        else
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Puts the tasks that fit into the queue, and waits until they have returned. weft does the work of the others. */
static void run_tasks(void *user, size_t count, void (*task)(void *arg, size_t index), void *arg) {
    size_t left = 0, *const tasks_seen = user;
    pthread_mutex_lock(&lock);
    *tasks_seen += count;
    for (size_t i = 0; i < count && queued < QUEUE; i++, left++) queue[queued++] = (job){task, arg, i, &left};
    pthread_cond_broadcast(&changed);
    while (left > 0)
        if (queued > 0)
            run_job();
        else
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static int fail(const weft_context *ctx) { return fprintf(stderr, "job_system: %s\n", weft_last_error(ctx)), 1; }

int main(int argc, char **argv) {
    const size_t n = argc > 1 ? (size_t)strtod(argv[1], NULL) : 10000000;
    size_t tasks = 0;
    const weft_executor executor = {.size = sizeof executor, .user = &tasks, .run = run_tasks};
    pthread_t workers[WORKERS];
    weft_context *ctx;
    float *x = malloc(n * sizeof *x), own = 0, ours = 0;
    if (n == 0 || x == NULL) return fprintf(stderr, "job_system: N must be a number of elements\n"), 1;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, NULL)) return fprintf(stderr, "job_system: no thread\n"), 1;
    if (weft_open(&ctx, "cpu") != WEFT_OK) return fail(NULL);
    if (weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 0, 0, n, 0, 1, x) != WEFT_OK ||
        weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &own) != WEFT_OK)
        return fail(ctx);
    if (weft_set_threads(ctx, TASKS) != WEFT_OK || weft_set_executor(ctx, &executor) != WEFT_OK ||
        weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &ours) != WEFT_OK)
        return fail(ctx);
    weft_close(ctx);
    pthread_mutex_lock(&lock);
    ended = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    free(x);
    printf("%.9g on the threads of weft\n%.9g on those of the program, in %zu tasks\n", own, ours, tasks);
    return own != ours;
}
