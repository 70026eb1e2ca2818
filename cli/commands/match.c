/* weft match --words the,data,warp [FILE...]: counts or lists words in texts of any length.
 *
 * A text is read in chunks. A chunk searches the positions for which the longest word and one byte after it are also
 * in the buffer. The next chunk begins with the byte before its first position. So no match is counted twice or
 * missed. */
#include "cli/cli.h"
#include "cli/io/json.h"
#include "cli/io/record.h"
#include "cli/io/value.h"
#include "cli/operations.h"
#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WORDS_MOST = 10000,    /* limit of the library per call */
    WORD_BYTES_MOST = 256, /* limit of the library per word */
    COUNT_CHUNK = 1 << 25, /* bytes per read */
    LIST_CHUNK = 1 << 22,
    LIST_CAPACITY = 1 << 20 /* matches; more than WORDS_MOST, the most at one position, so that listing advances */
};

typedef struct search {
    const cli_options *options;
    const char *words, *words_file;
    bool list;
    unsigned flags;
    char **files;
    int count;
    unsigned char *bytes; /* of the words */
    uint64_t *offsets;
    size_t patterns, capacity; /* number of words, and capacity of offsets */
    uint64_t longest;
    weft_context *ctx;
    uint64_t *counts, *chunk; /* of all chunks, and of the current chunk */
    uint64_t *positions;
    uint32_t *numbers;
    uint64_t searched; /* number of bytes searched */
    double seconds;    /* of the library's calls */
} search;

static int no_memory(const char *what) {
    cli_error("match", "cannot allocate memory for %s", what);
    return CLI_FAILED;
}

/* -------------------------------------------------------------------------------- options */

static bool read_options(search *s, int argc, char **argv) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) switch (option) {
        case 'w': s->words = optarg; break;
        case 'f': s->words_file = optarg; break;
        case 'l': s->list = true; break;
        case 'i': s->flags |= WEFT_FOLD_CASE; break;
        case 'x': s->flags |= WEFT_WHOLE_WORD; break;
        default: return false;
        }
    if (!s->words == !s->words_file)
        cli_error(argv[0], "%s: expected either --words or --words-file",
                  s->words ? "both are given" : "neither is given");
    else if (s->list && s->options->json)
        cli_error(argv[0], "--json cannot be combined with --list");
    else
        return true;
    return false;
}

/* ---------------------------------------------------------------------------------- words */

static bool add_word(search *s, const char *word, size_t length) {
    const uint64_t used = s->patterns ? s->offsets[s->patterns] : 0;
    if (s->patterns + 2 > s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        uint64_t *offsets = realloc(s->offsets, capacity * sizeof *offsets);
        if (!offsets) return false;
        s->offsets = offsets;
        s->offsets[0] = 0;
        s->capacity = capacity;
    }
    unsigned char *bytes = realloc(s->bytes, used + length + 1);
    if (!bytes) return false;
    s->bytes = bytes;
    memcpy(s->bytes + used, word, length);
    s->offsets[++s->patterns] = used + length;
    if (length > s->longest) s->longest = length;
    return true;
}

static int read_word_list(search *s) {
    for (const char *word = s->words;; word++) {
        const size_t length = strcspn(word, ",");
        if (length == 0) {
            cli_error("match", "--words %s: word %zu is empty", s->words, s->patterns + 1);
            return CLI_USAGE;
        }
        if (length > WORD_BYTES_MOST || s->patterns == WORDS_MOST) {
            cli_error("match", "--words: word %zu has %zu bytes: expected at most %d words of at most %d bytes",
                      s->patterns + 1, length, WORDS_MOST, WORD_BYTES_MOST);
            return CLI_USAGE;
        }
        if (!add_word(s, word, length)) return no_memory("the words");
        word += length;
        if (!*word) return CLI_DONE;
    }
}

static int add_line(search *s, const char *line, size_t length) {
    if (length > 0 && line[length - 1] == '\n') length--;
    if (length == 0)
        cli_error("match", "%s: line %zu is empty", s->words_file, s->patterns + 1);
    else if (length > WORD_BYTES_MOST)
        cli_error("match", "%s: line %zu has %zu bytes: a word must have 1 to %d", s->words_file, s->patterns + 1,
                  length, WORD_BYTES_MOST);
    else if (s->patterns == WORDS_MOST)
        cli_error("match", "%s: has more than %d words: expected at most that many", s->words_file, WORDS_MOST);
    else
        return add_word(s, line, length) ? CLI_DONE : no_memory("the words");
    return CLI_FAILED;
}

/* Calls record_input. Prints the error and returns false if it fails. */
static bool recorded(const char *path, int descriptor) {
    npy_error error = {""};
    const bool good = record_input(path, descriptor, &error);
    if (!good) cli_error("match", "%s: %s", path, error.message);
    return good;
}

static int read_word_file(search *s) {
    char *line = NULL;
    size_t capacity = 0;
    int code = CLI_DONE;
    FILE *file = fopen(s->words_file, "r");
    if (file && !recorded(s->words_file, fileno(file))) {
        fclose(file);
        return CLI_FAILED;
    }
    for (ssize_t length; file && code == CLI_DONE && (length = getline(&line, &capacity, file)) >= 0;)
        code = add_line(s, line, (size_t)length);
    if (code == CLI_DONE && (!file || !feof(file))) {
        cli_error("match", "%s: cannot be read: %s", s->words_file, strerror(errno));
        code = CLI_FAILED;
    } else if (code == CLI_DONE && s->patterns == 0) {
        cli_error("match", "%s: has no words", s->words_file);
        code = CLI_FAILED;
    }
    free(line);
    if (file) fclose(file);
    return code;
}

/* ----------------------------------------------------------------------------- searching */

/* A text that is read in chunks. Positions before `next` have been searched. */
typedef struct feed {
    const char *path;
    int fd;
    unsigned char *text;
    size_t capacity, bytes, next;
    uint64_t base, size; /* file offset of text[0]; size of the file, 0 if unknown */
    bool ended;
} feed;

/* Keeps the bytes that are not yet searched and the byte before them. Reads until the buffer is full or the text
 * ends. */
static int refill(feed *f) {
    const size_t from = f->next > 0 ? f->next - 1 : 0;
    memmove(f->text, f->text + from, f->bytes - from);
    f->base += from;
    f->bytes -= from;
    f->next -= from;
    while (!f->ended && f->bytes < f->capacity) {
        const ssize_t got = read(f->fd, f->text + f->bytes, f->capacity - f->bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            progress_end();
            cli_error("match", "%s: cannot be read: %s", f->path, strerror(errno));
            return CLI_FAILED;
        }
        f->ended = got == 0;
        f->bytes += (size_t)got;
    }
    return CLI_DONE;
}

static bool succeeded(const search *s, const feed *f, weft_status status) {
    if (status == WEFT_OK) return true;
    progress_end();
    cli_error("match", "%s: %s", f->path, weft_last_error(s->ctx));
    return false;
}

static bool count_chunk(search *s, const feed *f, size_t end) {
    const weft_patterns patterns = {s->patterns, s->offsets, s->bytes};
    if (!succeeded(s, f, weft_match_count(s->ctx, f->bytes, f->text, f->next, end, &patterns, s->flags, s->chunk)))
        return false;
    for (size_t i = 0; i < s->patterns; i++) s->counts[i] += s->chunk[i];
    return true;
}

static void print_match(const search *s, const feed *f, size_t i) {
    const uint64_t *const word = s->offsets + s->numbers[i];
    if (s->count > 1) printf("%s\t", f->path);
    printf("%" PRIu64 "\t", f->base + s->positions[i]);
    fwrite(s->bytes + word[0], 1, word[1] - word[0], stdout);
    putchar('\n');
}

/* Lists the matches of a chunk. If there are more than LIST_CAPACITY, continues at the position of the last one. */
static bool list_chunk(search *s, const feed *f, size_t end) {
    const weft_patterns patterns = {s->patterns, s->offsets, s->bytes};
    uint64_t total = LIST_CAPACITY + 1;
    for (size_t next = f->next; total > LIST_CAPACITY;) {
        if (!succeeded(s, f,
                       weft_match_list(s->ctx, f->bytes, f->text, next, end, &patterns, s->flags, LIST_CAPACITY,
                                       s->positions, s->numbers, &total)))
            return false;
        size_t listed = total < LIST_CAPACITY ? (size_t)total : LIST_CAPACITY;
        if (total > LIST_CAPACITY) {
            next = (size_t)s->positions[LIST_CAPACITY - 1];
            while (s->positions[listed - 1] == next) listed--;
        }
        for (size_t i = 0; i < listed; i++) print_match(s, f, i);
    }
    return true;
}

static int search_chunks(search *s, feed *f) {
    int code;
    while ((code = refill(f)) == CLI_DONE) {
        const size_t end = f->ended ? f->bytes : f->bytes - (size_t)s->longest;
        const double start = cli_seconds();
        if (!(s->list ? list_chunk : count_chunk)(s, f, end)) return CLI_FAILED;
        s->seconds += cli_seconds() - start;
        s->searched += end - f->next;
        f->next = end;
        if (f->ended) break;
        if (f->size) progress_at((double)(f->base + end), (double)f->size);
    }
    return code;
}

static int search_file(search *s, const char *path, feed *f) {
    struct stat st;
    const bool standard = strcmp(path, "-") == 0;
    *f = (feed){.path = path, .text = f->text, .capacity = f->capacity};
    f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        cli_error("match", "%s: cannot be read: %s", path, strerror(f->fd < 0 ? errno : EISDIR));
        if (f->fd >= 0 && !standard) close(f->fd);
        return CLI_FAILED;
    }
    if (!recorded(path, f->fd)) {
        if (!standard) close(f->fd);
        return CLI_FAILED;
    }
    if (S_ISREG(st.st_mode)) f->size = (uint64_t)st.st_size;
    progress_start(s->options, path);
    const int code = search_chunks(s, f);
    progress_end();
    if (!standard) close(f->fd);
    return code;
}

static int search_files(search *s) {
    static char *standard[] = {"-"};
    feed f = {.capacity = (size_t)(s->list ? LIST_CHUNK : COUNT_CHUNK) + (size_t)s->longest + 1};
    int code = CLI_DONE;
    if (s->count == 0) {
        s->files = standard;
        s->count = 1;
    }
    f.text = malloc(f.capacity);
    if (!f.text) return no_memory("a chunk of the text");
    for (int i = 0; i < s->count && code == CLI_DONE; i++) code = search_file(s, s->files[i], &f);
    free(f.text);
    return code;
}

/* ------------------------------------------------------------------------------- printing */

static void print_json(const search *s) {
    json_begin_command("match");
    json_begin_array("files");
    for (int i = 0; i < s->count; i++) json_text(NULL, s->files[i]);
    json_end();
    json_count("bytes", s->searched);
    json_begin_array("words");
    for (size_t i = 0; i < s->patterns; i++) {
        json_begin_object(NULL);
        json_bytes("word", s->bytes + s->offsets[i], s->offsets[i + 1] - s->offsets[i]);
        json_count("count", s->counts[i]);
        json_end();
    }
    json_end();
    json_end_command(weft_device(s->ctx), s->seconds);
}

static void print_counts(const search *s) {
    for (size_t i = 0; i < s->patterns; i++) {
        fwrite(s->bytes + s->offsets[i], 1, s->offsets[i + 1] - s->offsets[i], stdout);
        printf("\t%" PRIu64 "\n", s->counts[i]);
    }
}

/* -------------------------------------------------------------------------------- running */

static int allocate_counts(search *s) {
    if (s->list) {
        s->positions = malloc(LIST_CAPACITY * sizeof *s->positions);
        s->numbers = malloc(LIST_CAPACITY * sizeof *s->numbers);
        return s->positions && s->numbers ? CLI_DONE : no_memory("the list");
    }
    s->counts = calloc(s->patterns, sizeof *s->counts);
    s->chunk = calloc(s->patterns, sizeof *s->chunk);
    return s->counts && s->chunk ? CLI_DONE : no_memory("the counts");
}

static int run(search *s) {
    int code = s->words ? read_word_list(s) : read_word_file(s);
    if (code == CLI_DONE) code = allocate_counts(s);
    if (code == CLI_DONE) code = cli_open("match", s->options, &s->ctx);
    if (code == CLI_DONE) code = search_files(s);
    if (code != CLI_DONE || s->list) return code;
    (s->options->json ? print_json : print_counts)(s);
    return CLI_DONE;
}

int command_match(const cli_options *options, int argc, char **argv) {
    search s = {.options = options};
    if (!read_options(&s, argc, argv)) return CLI_USAGE;
    s.files = argv + optind;
    s.count = argc - optind;
    const int code = run(&s);
    weft_close(s.ctx);
    free(s.bytes);
    free(s.offsets);
    free(s.counts);
    free(s.chunk);
    free(s.positions);
    free(s.numbers);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Searches for four words of four bytes in the array's bytes. */
weft_status example_match(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    static const uint64_t offsets[] = {0, 4, 8, 12, 16};
    const weft_patterns words = {4, offsets, "datatextwarpweft"};
    const size_t bytes = in->n * weft_dtype_size(in->dtype);
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_match_count(ctx, bytes, in->x, 0, bytes, &words, WEFT_MATCH_BYTES, in->to);
}
