/* weft ladder try: compiles a learner's file, runs it in a process of its own, and prints what was found. */
#include "cli/io/json.h"
#include "cli/ladder/ladder_learner.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Message from the process that runs the file: the machine, the start of a run, a row, an error, the end,
 * or a row of another rung after it. */
typedef struct message {
    enum message_kind { MACHINE, BEGINS, ROW, PEER, FAULT, END } kind;
    ladder_schedule schedule;
    learner_row row; /* `said` is the name of a machine or of a peer, or the error */
    bool gpu;
} message;

static const char *const SCHEDULES[LEARNER_SCHEDULES] = {"backward", "random"};

/* --------------------------------------------------------------------- the child process */

typedef struct child {
    int to;
    message next;
} child;

/* A message is longer than a pipe writes at once, so that it may need several calls. */
static void send(const child *c) {
    const char *at = (const char *)&c->next;
    for (size_t left = sizeof c->next; left > 0;) {
        const ssize_t written = write(c->to, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(CLI_FAILED);
        at += written;
        left -= (size_t)written;
    }
}

static void send_row(void *state, const ladder_row *row) {
    child *const c = state;
    snprintf(c->next.row.said, sizeof c->next.row.said, "%s", c->next.kind == PEER ? row->rung : row->said);
    c->next.row.row = *row;
    c->next.row.n = row->n;
    send(c);
}

static void send_fault(child *c, const char *sentence) {
    c->next.kind = FAULT;
    snprintf(c->next.row.said, sizeof c->next.row.said, "%s", sentence);
    send(c);
    _exit(CLI_FAILED);
}

static void open_machine(child *c, ladder_machine_info *machine, bool opened, const char *error) {
    if (!opened) send_fault(c, error);
    c->next.kind = MACHINE;
    c->next.gpu = machine->gpu;
    snprintf(c->next.row.said, sizeof c->next.row.said, "%s", machine->name);
    send(c);
}

static weft_dtype dtype_for(const ladder_trial *trial, const ladder_part *part) {
    char first[8];
    ladder_first_type(part->topic, first);
    return ladder_dtype(trial->dtype ? trial->dtype : first);
}

/* Runs the file with n elements, in each order of threads. */
static void run_size(child *c, const ladder_machine_info *machine, const ladder_trial *trial, const ladder_part *part,
                     size_t n) {
    char error[600];
    const int schedules = machine->gpu ? 1 : LEARNER_SCHEDULES;
    for (int s = 0; s < schedules; s++) {
        c->next = (message){.kind = BEGINS, .schedule = (ladder_schedule)(LADDER_BACKWARD + s), .row.n = n};
        send(c);
        c->next.kind = ROW;
        const ladder_call call = {.topic = "learner",
                                  .rung = part->rung ? part->rung->name : NULL,
                                  .n = n,
                                  .dtype = dtype_for(trial, part),
                                  .faulty = true,
                                  .schedule = c->next.schedule,
                                  .seed = trial->seed + (unsigned)s};
        if (!machine->climb(&call, send_row, c, error, sizeof error)) send_fault(c, error);
    }
}

/* Runs the topic's rungs on the GPU, for comparison. */
static void run_peers(child *c, const ladder_trial *trial, const ladder_part *part, size_t n) {
    ladder_machine_info machine;
    char error[600];
    if (!ladder_machine_load("cuda", &machine, error, sizeof error)) return;
    c->next = (message){.kind = PEER};
    const ladder_call call = {.topic = part->topic->name, .n = n, .dtype = dtype_for(trial, part), .seed = 1};
    (void)machine.climb(&call, send_row, c, error, sizeof error);
}

static size_t largest(const ladder_trial *trial, const ladder_part *part, bool gpu) {
    if (trial->n) return (size_t)trial->n;
    if (part->exercise) return gpu ? part->exercise->gpu_n : part->exercise->sizes[part->exercise->size_count - 1];
    return gpu ? part->topic->gpu_n : part->topic->executor_n;
}

static void run_in_child(int to, const char *library, const ladder_trial *trial, const ladder_part *part) {
    child c = {.to = to};
    char error[600];
    ladder_machine_info machine;
    const bool opened = ladder_machine_open(library, &machine, error, sizeof error);
    open_machine(&c, &machine, opened, error);
    const size_t count = trial->n || !part->exercise ? 0 : part->exercise->size_count;
    for (size_t i = 0; i < count; i++) run_size(&c, &machine, trial, part, part->exercise->sizes[i]);
    if (count == 0 || machine.gpu) run_size(&c, &machine, trial, part, largest(trial, part, machine.gpu));
    c.next.kind = END;
    send(&c);
    if (machine.gpu && trial->compare) run_peers(&c, trial, part, largest(trial, part, true));
}

/* -------------------------------------------------------------------- the parent process */

typedef struct listener {
    learner_result *result;
    size_t n; /* of the run that began last */
    ladder_schedule schedule;
    bool failed, ended; /* there was an error; all sizes were run */
} listener;

__attribute__((format(printf, 2, 3))) static void say(learner_result *r, const char *format, ...) {
    va_list args;
    if (*r->sentence) return; /* the first one counts */
    va_start(args, format);
    vsnprintf(r->sentence, sizeof r->sentence, format, args);
    va_end(args);
}

static const char *order_of(const listener *l) { return SCHEDULES[l->schedule == LADDER_RANDOM]; }

/* Combines the row with the one of the same size, in another order of threads. */
static void take_row(listener *l, const learner_row *row) {
    learner_result *const r = l->result;
    if (row->row.verdict == LADDER_WRONG) {
        if (r->gpu)
            say(r, "n = %zu: %s", l->n, row->said);
        else
            say(r, "n = %zu, threads in %s order: %s", l->n, order_of(l), row->said);
    }
    r->hash = (r->hash ^ row->row.hash) * UINT64_C(0x100000001b3);
    learner_row *const last = r->count > 0 ? &r->rows[r->count - 1] : NULL;
    if (last && last->n == row->n && l->schedule != LADDER_BACKWARD) {
        if (last->row.verdict != LADDER_WRONG) *last = *row;
    } else if (r->count < LEARNER_ROWS_MAX) {
        r->rows[r->count++] = *row;
    }
}

static void take(listener *l, const message *m) {
    learner_result *const r = l->result;
    switch (m->kind) {
    case MACHINE:
        r->gpu = m->gpu;
        memcpy(r->machine, m->row.said, sizeof r->machine - 1);
        break;
    case BEGINS:
        l->n = m->row.n;
        l->schedule = m->schedule;
        break;
    case ROW: take_row(l, &m->row); break;
    case PEER:
        if (m->row.row.timed && r->peer_count < LADDER_RUNGS_MAX) {
            learner_peer *const peer = &r->peers[r->peer_count++];
            peer->seconds = m->row.row.seconds;
            snprintf(peer->name, sizeof peer->name, "%.*s", (int)sizeof peer->name - 1, m->row.said);
        }
        break;
    case FAULT:
        say(r, "%s", m->row.said);
        l->failed = true;
        break;
    case END: l->ended = true; break;
    }
}

/* Receives messages until the child closes the pipe. Returns false if the time is over. */
static bool listen_to(int from, listener *l, double deadline) {
    message m;
    for (size_t got = 0;;) {
        const double left = deadline - cli_seconds();
        struct pollfd ready = {from, POLLIN, 0};
        if (left <= 0) return false;
        if (poll(&ready, 1, (int)(1e3 * left) + 1) <= 0) continue;
        const ssize_t bytes = read(from, (char *)&m + got, sizeof m - got);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) return true;
        got += (size_t)bytes;
        if (got < sizeof m) continue;
        take(l, &m);
        got = 0;
    }
}

/* Prepares the process that runs a learner's code: it ends with this one, writes no core file, and what the code
 * prints goes to stderr if stdout gets JSON. */
static void prepare_child(pid_t parent, bool json) {
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGBUS};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) signal(handled[i], SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(CLI_FAILED);
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    if (json) dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void run_library(const char *library, const ladder_trial *trial, learner_result *r) {
    int ends[2], status = 0;
    listener l = {.result = r};
    fflush(NULL);
    const pid_t parent = getpid(), runner = pipe(ends) == 0 ? fork() : -1;
    if (runner < 0) return say(r, "a process cannot be created: %s", strerror(errno));
    if (runner == 0) {
        prepare_child(parent, trial->options->json);
        close(ends[0]);
        run_in_child(ends[1], library, trial, &r->part);
        fflush(NULL);
        _exit(CLI_DONE);
    }
    close(ends[1]);
    const bool in_time = listen_to(ends[0], &l, cli_seconds() + trial->seconds);
    if (!in_time) kill(runner, SIGKILL);
    close(ends[0]);
    while (waitpid(runner, &status, 0) < 0 && errno == EINTR) continue;
    if (!in_time && !l.ended)
        say(r, "n = %zu: not finished after %d seconds: is there an endless loop? (--limit sets another limit)", l.n,
            trial->seconds);
    else if (WIFSIGNALED(status) && !l.ended)
        say(r, "n = %zu: the host's code was ended by a signal: %s", l.n, strsignal(WTERMSIG(status)));
    else if (!l.failed && !l.ended)
        say(r, "n = %zu: the host's code ended the program with the exit code %d", l.n, WEXITSTATUS(status));
    else if (!l.failed && r->count == 0)
        say(r, "n = %zu: no rung was run", l.n);
}

/* Points for traffic: ten times the bytes that the result needs, divided by those that were moved, rounded. */
static int points_for(const learner_row *row) {
    const double moved = (double)(row->row.read + row->row.written);
    if (moved <= 0 || row->row.bytes <= 0) return -1;
    return row->row.bytes >= moved ? 10 : (int)(10 * row->row.bytes / moved + 0.5);
}

void learner_try(const char *path, const ladder_trial *trial, bool gpu, learner_result *r) {
    learner_library made = {.directory = ""};
    *r = (learner_result){.path = path, .gpu = gpu, .points = -1, .hash = UINT64_C(0xcbf29ce484222325)};
    if (!learner_identify(path, &r->part, r->sentence, sizeof r->sentence)) return;
    if (trial->dtype && !ladder_takes(r->part.topic, trial->dtype))
        return say(r, "--dtype %s: %s supports only %s", trial->dtype, r->part.topic->name, r->part.topic->types);
    if (learner_compile(path, &r->part, gpu, &made, r->sentence, sizeof r->sentence))
        run_library(made.library, trial, r);
    else if (!*made.directory)
        r->part = (ladder_part){.topic = NULL}; /* this is not the file's fault */
    learner_remove(&made);
    r->right = !*r->sentence && r->count > 0 && r->rows[r->count - 1].row.verdict == LADDER_RIGHT;
    if (r->right && !r->gpu) r->points = points_for(&r->rows[r->count - 1]);
}

/* ------------------------------------------------------------------------------ printing */

static const char *verdict_of(const learner_row *row) {
    return row->row.verdict == LADDER_RIGHT ? "right" : row->row.verdict == LADDER_WRONG ? "WRONG" : "not run";
}

static void print_row(const learner_result *r, const learner_row *row) {
    const double moved = (double)(row->row.read + row->row.written);
    printf("  %12zu", row->n);
    if (r->gpu)
        printf(" %10.4f %8.1f", 1e3 * row->row.seconds,
               row->row.seconds > 0 ? 1e-9 * row->row.bytes / row->row.seconds : 0);
    else if (row->row.bytes > 0)
        printf(" %8.2fx %9" PRIu64 " %8" PRIu64 " %8" PRIu64, moved / row->row.bytes, row->row.shared,
               row->row.atomics, row->row.barriers);
    else
        printf(" %9s %9" PRIu64 " %8" PRIu64 " %8" PRIu64, "-", row->row.shared, row->row.atomics, row->row.barriers);
    printf("  %s\n", verdict_of(row));
    if (*row->said && row->row.verdict != LADDER_WRONG) printf("      %s\n", row->said);
}

static void print_peers(const learner_result *r) {
    const double own = r->count > 0 ? r->rows[r->count - 1].row.seconds : 0;
    if (own <= 0 || r->peer_count == 0) return;
    puts("\n  rungs of the topic              ms   this file is");
    for (size_t i = 0; i < r->peer_count; i++)
        printf("  %-24s %10.4f   %.2f times as fast\n", r->peers[i].name, 1e3 * r->peers[i].seconds,
               r->peers[i].seconds / own);
}

static const char *part_name(const ladder_part *part) {
    return part->exercise ? part->exercise->name : part->rung->name;
}

void learner_print(const learner_result *r) {
    if (!r->part.topic) return cli_error("ladder", "%s", r->sentence);
    const char *const title = r->part.exercise ? r->part.exercise->title : r->part.rung->idea;
    printf("%s/%s: %s\n", r->part.topic->name, part_name(&r->part), title);
    if (r->count > 0) {
        printf("%s on %s\n\n  %12s", r->path, r->machine, "n");
        printf(r->gpu ? " %10s %8s  verdict\n" : " %9s %9s %8s %8s  verdict\n", r->gpu ? "ms" : "traffic",
               r->gpu ? "GB/s" : "shared", "atomics", "barriers");
    }
    for (size_t i = 0; i < r->count; i++) print_row(r, &r->rows[i]);
    print_peers(r);
    if (r->right && r->points >= 0)
        printf("\nRight. Hash of the results: %016" PRIx64 ". Traffic: %d of 10 points.\n", r->hash, r->points);
    else if (r->right)
        printf("\nRight. Hash of the results: %016" PRIx64 ".\n", r->hash);
    else if (*r->sentence)
        printf("\nWRONG. %s\n", r->sentence);
    else
        puts("\nNot run.");
}

void learner_print_json(const learner_result *r) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    json_begin_object(NULL);
    json_text("file", r->path);
    json_text("topic", r->part.topic ? r->part.topic->name : NULL);
    json_text("name", r->part.topic ? part_name(&r->part) : NULL);
    json_text("machine", *r->machine ? r->machine : NULL);
    json_bool("gpu", r->gpu);
    json_bool("right", r->right);
    json_text("said", r->sentence);
    json_text("hash", r->right ? hash : NULL);
    if (r->points >= 0) json_integer("traffic_points", r->points);
    json_begin_array("sizes");
    for (size_t i = 0; i < r->count; i++) {
        const ladder_row *const row = &r->rows[i].row;
        json_begin_object(NULL);
        json_count("n", r->rows[i].n);
        json_text("verdict", verdict_of(&r->rows[i]));
        json_fixed("seconds", 9, row->seconds);
        json_fixed("bytes", 0, row->bytes);
        json_count("read", row->read);
        json_count("written", row->written);
        json_count("shared", row->shared);
        json_count("atomics", row->atomics);
        json_count("barriers", row->barriers);
        json_end();
    }
    json_end();
    json_end();
}

/* --------------------------------------------------------------------------- the command */

static bool is_cpu(const char *device) {
    return !device || strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0;
}

/* Tries the file on each machine. Returns true if it is right. */
static bool try_on_machines(const char *path, const ladder_trial *trial) {
    static learner_result r;
    const char *const device = trial->options->device;
    const bool automatic = !device || strcmp(device, "auto") == 0;
    bool right = true;
    if (trial->options->json) {
        json_begin_command("ladder");
        json_begin_array("results");
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        if (gpu ? !(automatic ? right && learner_has_gpu() : !is_cpu(device)) : !is_cpu(device)) continue;
        learner_try(path, trial, gpu, &r);
        (trial->options->json ? learner_print_json : learner_print)(&r);
        fflush(stdout);
        right = right && r.right;
    }
    if (trial->options->json) {
        json_end();
        json_end();
    }
    return right;
}

/* Waits until the file is saved again. */
static void wait_for_change(const char *path, const struct stat *seen) {
    const struct timespec tenth = {0, 100000000};
    struct stat now;
    do nanosleep(&tenth, NULL);
    while (stat(path, &now) != 0 ||
           (now.st_mtim.tv_sec == seen->st_mtim.tv_sec && now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec &&
            now.st_size == seen->st_size && now.st_ino == seen->st_ino));
}

int ladder_try(const ladder_trial *trial, int count, char **operands) {
    struct stat seen;
    bool right;
    if (count != 1) {
        cli_error("ladder", "try: expected one file, such as my.cu");
        return CLI_USAGE;
    }
    do {
        if (stat(operands[0], &seen) != 0) {
            cli_error("ladder", "%s: %s", operands[0], strerror(errno));
            return CLI_FAILED;
        }
        if (trial->watch && isatty(STDOUT_FILENO)) fputs("\033[2J\033[H", stdout);
        right = try_on_machines(operands[0], trial);
        if (trial->watch) wait_for_change(operands[0], &seen);
    } while (trial->watch);
    return right ? CLI_DONE : CLI_FAILED;
}
