/* Compiles a learner's file to a library: by g++ or clang++ for the executor, by nvcc for a GPU. */
#include "cli/ladder/ladder_learner.h"
#include "cli/signals.h"
#include "ladder/executor/translate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, MOST_WORDS = 64 };

__attribute__((format(printf, 3, 4))) static bool say(char *error, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return false;
}

/* Returns the text of the file, which the caller frees, or NULL. */
static char *read_text(const char *path, char *error, size_t error_size) {
    FILE *const file = fopen(path, "rb");
    char *const text = calloc(MOST_BYTES + 2, 1);
    size_t size = 0;
    bool failed = !file || !text;
    if (!failed) {
        size = fread(text, 1, MOST_BYTES + 1, file);
        failed = ferror(file);
    }
    if (failed)
        say(error, error_size, "%s: %s", path, strerror(errno));
    else if (size > MOST_BYTES)
        say(error, error_size, "%s: the file has more than %d bytes", path, MOST_BYTES);
    else if (strlen(text) != size)
        say(error, error_size, "%s: expected a text, but there is a byte 0", path);
    const bool is_text = !failed && size <= MOST_BYTES && strlen(text) == size;
    if (file) (void)fclose(file);
    if (is_text) return text;
    free(text);
    return NULL;
}

/* ------------------------------------------------------------------------------- the file */

bool learner_identify(const char *path, ladder_part *part, char *error, size_t error_size) {
    static const char mark[] = "weft ladder ", letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-/";
    char name[80] = "";
    char *const text = read_text(path, error, error_size);
    if (!text) return false;
    const char *const at = text + strspn(text, "/* \t\r\n");
    if (at > text && strncmp(at, mark, strlen(mark)) == 0) {
        const char *const named = at + strlen(mark);
        snprintf(name, sizeof name, "%.*s", (int)strspn(named, letters), named);
    }
    free(text);
    if (!strchr(name, '/'))
        return say(error, error_size,
                   "%s: expected the first line '/* weft ladder TOPIC/EXERCISE', as 'weft ladder new' writes it",
                   path);
    return ladder_find_part(name, part) ||
           say(error, error_size, "%s: its first line names %s, which is no rung and no exercise", path, name);
}

/* Returns the lines after the learner's text, which call the check of the exercise, or the topic's function. */
static void print_call(FILE *out, const ladder_part *part) {
    fputs("\n#line 1 \"the end of the file\"\n", out);
    if (part->exercise)
        fprintf(out, "class climb;\nvoid %s(climb &c);\nvoid climb_learner(climb &c) { %s(c); }\n",
                part->exercise->check, part->exercise->check);
    else
        fprintf(out, "void climb_learner(climb &c) { climb_%s(c); }\n", part->topic->stem);
}

/* Writes what the compiler reads. */
static bool write_source(const char *to, const char *path, const ladder_part *part, bool gpu, char *error,
                         size_t error_size) {
    char *const text = read_text(path, error, error_size);
    char *const translated = text && !gpu ? executor_translate(path, text, error, error_size) : NULL;
    const char *const source = gpu ? text : translated;
    FILE *const out = source ? fopen(to, "wb") : NULL;
    bool done = out;
    if (out) {
        if (gpu) fprintf(out, "#line 1 \"%s\"\n", path);
        fputs(source, out);
        print_call(out, part);
        done = fclose(out) == 0;
    }
    if (source && !done) say(error, error_size, "%s: %s", to, strerror(errno));
    free(text);
    free(translated);
    return done;
}

/* ------------------------------------------------------------------------------ programs */

static bool is_in_path(const char *program) {
    char path[PATH_MAX];
    if (strchr(program, '/')) return access(program, X_OK) == 0;
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (access(path, X_OK) == 0) return true;
        at += length;
    }
    return false;
}

bool learner_has_gpu(void) {
    char archive[PATH_MAX];
    ladder_path("ladder_learner/libweft_ladder_learner_cuda.a", archive, sizeof archive);
    return access("/dev/nvidiactl", F_OK) == 0 && is_in_path("nvcc") && access(archive, R_OK) == 0;
}

typedef struct command_line {
    const char *words[MOST_WORDS];
    size_t count;
    char compiler[PATH_MAX];
    bool is_clang;
} command_line;

static void add(command_line *c, const char *word) {
    if (c->count + 1 < MOST_WORDS) c->words[c->count++] = word;
    c->words[c->count] = NULL;
}

static void add_all(command_line *c, const char *const *words) {
    for (; *words; words++) add(c, *words);
}

/* Begins a command line with nvcc for a GPU, otherwise with the words of $CXX, or with g++ or clang++. */
static bool begin_compiler(bool gpu, command_line *c, char *error, size_t error_size) {
    const char *const wanted = getenv("CXX");
    const bool is_set = wanted && *wanted;
    *c = (command_line){.words = {"nvcc"}, .count = gpu};
    if (gpu) return is_in_path("nvcc") || say(error, error_size, "nvcc was not found: it compiles files for a GPU");
    snprintf(c->compiler, sizeof c->compiler, "%s", is_set ? wanted : is_in_path("g++") ? "g++" : "clang++");
    for (char *save = NULL, *word = strtok_r(c->compiler, " ", &save); word; word = strtok_r(NULL, " ", &save))
        add(c, word);
    for (size_t i = 0; i < c->count; i++) c->is_clang = c->is_clang || strstr(c->words[i], "clang");
    if (c->count > 0 && is_in_path(c->words[0])) return true;
    if (is_set) return say(error, error_size, "CXX is '%s', which was not found: expected a C++ compiler", wanted);
    return say(error, error_size,
               "no C++ compiler was found: install g++ (Debian, Ubuntu: the package g++) or clang++, "
               "or set CXX");
}

/* Runs the program; its errors go to `errors` if that is not NULL. Returns true if it succeeds. */
static bool run(const command_line *c, const char *errors) {
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        const int to = errors ? open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
        if (to >= 0) dup2(to, STDERR_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(c->words[0], (char *const *)c->words);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Turns the messages of a linker, in the file `errors`, into a sentence. */
static bool say_undefined(const char *path, const char *errors, char *error, size_t error_size) {
    char *const text = read_text(errors, error, error_size);
    static const char undefined[] = "undefined reference to";
    const char *const at = text ? strstr(text, undefined) : NULL;
    const char *const name = at ? at + strlen(undefined) + strspn(at + strlen(undefined), " `'\"") : NULL;
    if (name)
        say(error, error_size, "%s: %.*s is not defined: the name and the types of the parameters must be these",
            path, (int)strcspn(name, "'\"\n"), name);
    else if (text)
        say(error, error_size, "%s cannot be linked: %.*s", path, (int)strcspn(text, "\n"), text);
    free(text);
    return false;
}

/* --------------------------------------------------------------------------- temporary files */

static char temporary[PATH_MAX / 2]; /* the directory that a signal removes; "" if there is none */
static const char *const FILES[] = {"learner.cc", "learner.cu", "learner.o", "learner.so", "errors"};

/* Calls async-signal-safe functions only. */
static void remove_temporary(void) {
    if (!*temporary) return;
    const int directory = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) unlinkat(directory, FILES[i], 0);
    close(directory);
    rmdir(temporary);
}

void learner_remove(const learner_library *made) {
    if (!*made->directory) return;
    remove_temporary();
    *temporary = '\0';
}

static bool make_directory(learner_library *made, char *error, size_t error_size) {
    const char *const base = getenv("TMPDIR");
    snprintf(made->directory, sizeof made->directory, "%s/weft-ladder-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(made->directory)) {
        say(error, error_size, "%s cannot be created: %s", made->directory, strerror(errno));
        *made->directory = '\0';
        return false;
    }
    snprintf(temporary, sizeof temporary, "%s", made->directory);
    signals_cleanup(remove_temporary);
    return true;
}

/* --------------------------------------------------------------------------------- compilers */

/* Paths that the command lines contain. */
typedef struct learner_paths {
    char source[PATH_MAX], object[PATH_MAX], errors[PATH_MAX], headers[PATH_MAX], cuda[PATH_MAX], archive[PATH_MAX],
        options[PATH_MAX];
} learner_paths;

static bool compile_for_executor(command_line compile, const learner_paths *p, const char *path,
                                 const learner_library *made, char *error, size_t error_size) {
    command_line link = compile;
    /* Clang before version 15 calls memcpy itself. */
    const command_line watch_copies = {.words = {"objcopy", "--redefine-sym", "memcpy=__tsan_memcpy",
                                                 "--redefine-sym", "memmove=__tsan_memmove", "--redefine-sym",
                                                 "memset=__tsan_memset", p->object}};
    add_all(&compile, (const char *const[]){p->options, "-I", p->headers, "-I", p->cuda, "-c", p->source, "-o",
                                            p->object, NULL});
    if (!run(&compile, NULL)) return say(error, error_size, "%s does not compile", path);
    if (compile.is_clang && !run(&watch_copies, NULL))
        return say(error, error_size,
                   "objcopy was not found: files that clang++ compiles need it (package binutils)");
    add_all(&link, (const char *const[]){"-shared", p->object, p->archive, ladder_weft_path(), "-ldl",
                                         "-Wl,-u,ladder_machine,-z,defs", "-o", made->library, NULL});
    return run(&link, p->errors) || say_undefined(path, p->errors, error, error_size);
}

static bool compile_for_gpu(command_line compile, const learner_paths *p, const char *path,
                            const learner_library *made, char *error, size_t error_size) {
    add_all(&compile, (const char *const[]){"-std=c++20",
                                            "-O3",
                                            "-lineinfo",
                                            "-fmad=false",
                                            "-arch=native",
                                            "-w",
                                            "-Xcompiler",
                                            "-fPIC",
                                            "-I",
                                            p->headers,
                                            "-shared",
                                            p->source,
                                            p->archive,
                                            "-Xlinker",
                                            ladder_weft_path(),
                                            "-Xlinker",
                                            "-u,ladder_machine",
                                            "-Xlinker",
                                            "-z,defs",
                                            "-o",
                                            made->library,
                                            NULL});
    return run(&compile, NULL) || say(error, error_size, "%s does not compile", path);
}

bool learner_compile(const char *path, const ladder_part *part, bool gpu, learner_library *made, char *error,
                     size_t error_size) {
    learner_paths p;
    command_line compile;
    *made = (learner_library){.library = ""};
    ladder_path("ladder_learner", p.headers, sizeof p.headers);
    ladder_path("ladder_learner/executor", p.cuda, sizeof p.cuda);
    ladder_path(gpu ? "ladder_learner/libweft_ladder_learner_cuda.a" : "ladder_learner/libweft_ladder_learner.a",
                p.archive, sizeof p.archive);
    if (access(p.archive, R_OK) != 0)
        return say(error, error_size, "%s was not found: in the source tree, './x ladder' builds it", p.archive);
    if (!begin_compiler(gpu, &compile, error, error_size)) return false;
    *p.options = '@'; /* a file with options */
    ladder_path(compile.is_clang ? "ladder_learner/options_clang" : "ladder_learner/options", p.options + 1,
                sizeof p.options - 1);
    if (!make_directory(made, error, error_size)) return false;
    snprintf(p.source, sizeof p.source, "%s/learner.%s", made->directory, gpu ? "cu" : "cc");
    snprintf(p.object, sizeof p.object, "%s/learner.o", made->directory);
    snprintf(p.errors, sizeof p.errors, "%s/errors", made->directory);
    snprintf(made->library, sizeof made->library, "%s/learner.so", made->directory);
    return write_source(p.source, path, part, gpu, error, error_size) &&
           (gpu ? compile_for_gpu : compile_for_executor)(compile, &p, path, made, error, error_size);
}
