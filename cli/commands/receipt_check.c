/* weft check RECEIPT.json: computes what a receipt describes, and compares every bit. */
#include "cli/commands/receipt.h"
#include "cli/io/input.h"
#include "cli/io/json.h"
#include "cli/io/json_reader.h"
#include "cli/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The members of a receipt. */
typedef struct receipt {
    const char *path;
    int64_t order;
    char *version, *device, *operation;
    char **words;                          /* the operation's name, then its arguments */
    int count;                             /* of words */
    char *formats[RECEIPT_FORMAT_OPTIONS]; /* arguments of the options RECEIPT_FORMATS, or NULL */
    record_files inputs, outputs;
    char *result;
    char **differences; /* sentences */
    size_t difference_count;
    bool lost; /* a difference could not be stored */
} receipt;

/* --------------------------------------------------------------------------------- reading */

/* Returns the contents of the file, or NULL after printing the error. */
static char *read_file(const char *path) {
    source s;
    struct stat st;
    npy_error error = {""};
    char *text = NULL;
    if (source_open(path, &s, &st, &error) && source_read_all(&s, &error)) {
        text = calloc(s.bytes + 1, 1);
        if (text && s.bytes) memcpy(text, s.p, s.bytes);
        if (text && strlen(text) == s.bytes) {
            source_close(&s);
            return text;
        }
        snprintf(error.message, sizeof error.message, "is not a text of a receipt");
    }
    cli_error("check", "%s: %s", path, error.message);
    source_close(&s);
    free(text);
    return NULL;
}

/* Reads the arguments. words[0] is the name of the operation. */
static bool read_words(json_reader *in, receipt *r) {
    r->words = calloc(strlen(in->at) / 2 + 2, sizeof *r->words); /* more than the array can contain */
    if (!r->words || !json_read(in, '[')) return false;
    r->words[r->count++] = r->operation;
    if (json_read_if(in, ']')) return true;
    do r->words[r->count] = json_read_string(in);
    while (r->words[r->count] && r->count++ > 0 && json_read_if(in, ','));
    return json_read(in, ']');
}

static bool read_formats(json_reader *in, receipt *r) {
    bool first = true;
    if (!json_read(in, '{')) return false;
    for (size_t i = 0; i < RECEIPT_FORMAT_OPTIONS; i++) {
        const json_reader before = *in;
        if (json_read_member(in, first, RECEIPT_FORMATS[i])) {
            r->formats[i] = json_read_string(in);
            first = false;
        } else {
            *in = before;
        }
    }
    return json_read(in, '}');
}

static bool read_hash(json_reader *in, char text[RECORD_HASH]) {
    char *const hash = json_read_string(in);
    const bool good = hash && strlen(hash) == RECORD_HASH - 1 && strspn(hash, "0123456789abcdef") == RECORD_HASH - 1;
    if (good) memcpy(text, hash, RECORD_HASH);
    if (hash && !good)
        snprintf(in->problem, sizeof in->problem, "sha256 \"%.70s\": expected 64 hexadecimal digits", hash);
    free(hash);
    return good;
}

static bool read_files(json_reader *in, record_files *list) {
    list->files = calloc(strlen(in->at) / RECORD_HASH + 1, sizeof *list->files); /* more than the array can contain */
    if (!list->files || !json_read(in, '[')) return false;
    if (json_read_if(in, ']')) return true;
    do {
        record_file *const file = &list->files[list->count];
        if (!json_read(in, '{') || !json_read_member(in, true, "file") || !(file->name = json_read_string(in)))
            return false;
        list->count++;
        if (!json_read_member(in, false, "sha256") || !read_hash(in, file->sha256) || !json_read(in, '}'))
            return false;
    } while (json_read_if(in, ','));
    return json_read(in, ']');
}

/* Reads the format and the order version, and checks that this program has them. */
static bool read_versions(json_reader *in, receipt *r) {
    int64_t format;
    if (!json_read(in, '{') || !json_read_member(in, true, "receipt") || !json_read_integer(in, &format))
        return false;
    if (format != RECEIPT_FORMAT)
        snprintf(in->problem, sizeof in->problem, "receipt %lld: expected format %d", (long long)format,
                 RECEIPT_FORMAT);
    if (!json_read_member(in, false, "version") || !(r->version = json_read_string(in))) return false;
    if (!json_read_member(in, false, "order") || !json_read_integer(in, &r->order)) return false;
    if (r->order != weft_order_version())
        snprintf(in->problem, sizeof in->problem, "order %lld: this library has order version %d, other bits",
                 (long long)r->order, weft_order_version());
    return !*in->problem;
}

static bool read_members(json_reader *in, receipt *r) {
    return read_versions(in, r) && json_read_member(in, false, "device") && (r->device = json_read_string(in)) &&
           json_read_member(in, false, "command") && (r->operation = json_read_string(in)) &&
           json_read_member(in, false, "arguments") && read_words(in, r) && json_read_member(in, false, "format") &&
           read_formats(in, r) && json_read_member(in, false, "inputs") && read_files(in, &r->inputs) &&
           json_read_member(in, false, "outputs") && read_files(in, &r->outputs) &&
           json_read_member(in, false, "result") && (r->result = json_read_text(in)) && json_read(in, '}') &&
           json_read_end(in);
}

static bool read_receipt(receipt *r) {
    char *const text = read_file(r->path);
    if (!text) return false;
    json_reader in = {.text = text, .at = text};
    const bool good = read_members(&in, r);
    if (!good) cli_error("check", "%s: %s", r->path, *in.problem ? in.problem : "cannot allocate memory for it");
    free(text);
    return good;
}

static void free_receipt(receipt *r) {
    for (int i = 1; i < r->count; i++) free(r->words[i]);
    for (size_t i = 0; i < RECEIPT_FORMAT_OPTIONS; i++) free(r->formats[i]);
    record_free_files(&r->inputs);
    record_free_files(&r->outputs);
    for (size_t i = 0; i < r->difference_count; i++) free(r->differences[i]);
    free(r->differences);
    free(r->version), free(r->device), free(r->operation), free(r->words), free(r->result);
}

/* ------------------------------------------------------------------------------- comparing */

__attribute__((format(printf, 2, 3))) static void differs(receipt *r, const char *format, ...) {
    char sentence[2 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    char **const list = realloc(r->differences, (r->difference_count + 1) * sizeof *list);
    if (list) r->differences = list;
    char *const copy = list ? strdup(sentence) : NULL;
    if (copy)
        r->differences[r->difference_count++] = copy;
    else
        r->lost = true;
}

/* Compares the input files with their hashes. Returns false after printing the error if one cannot be read. */
static bool compare_inputs(receipt *r) {
    record_files now = {NULL, 0};
    npy_error error = {""};
    bool good = true;
    for (size_t i = 0; good && i < r->inputs.count; i++) {
        const record_file *const file = &r->inputs.files[i];
        const int fd = open(file->name, O_RDONLY | O_CLOEXEC);
        good = fd >= 0
                   ? record_add(&now, file->name, fd, &error)
                   : (snprintf(error.message, sizeof error.message, "cannot be opened: %s", strerror(errno)), false);
        if (!good)
            cli_error("check", "input %s %s", file->name, error.message);
        else if (strcmp(now.files[i].sha256, file->sha256) != 0)
            differs(r, "input %s differs: SHA-256 %s, %s in the receipt", file->name, now.files[i].sha256,
                    file->sha256);
        if (fd >= 0) close(fd);
    }
    record_free_files(&now);
    return good;
}

/* Compares the names of files that the operation used with those of the receipt. */
static void compare_names(receipt *r, const char *kind, const record_files *now, const record_files *then) {
    const size_t count = now->count > then->count ? now->count : then->count;
    for (size_t i = 0; i < count; i++) {
        const char *const a = i < now->count ? now->files[i].name : "none";
        const char *const b = i < then->count ? then->files[i].name : "none";
        if (strcmp(a, b) != 0) differs(r, "%s %zu of the operation is %s, %s in the receipt", kind, i + 1, a, b);
    }
}

static void compare_outputs(receipt *r, const record_files *now) {
    compare_names(r, "output", now, &r->outputs);
    for (size_t i = 0; r->difference_count == 0 && i < now->count; i++) {
        const record_file *const a = &now->files[i], *const b = &r->outputs.files[i];
        if (strcmp(a->sha256, b->sha256) != 0)
            differs(r, "output %s differs: SHA-256 %s, %s in the receipt", a->name, a->sha256, b->sha256);
    }
}

/* Compares the printed results, without white space between tokens. */
static bool compare_results(receipt *r, const char *printed) {
    json_reader in = {.text = printed, .at = printed};
    char *const now = json_read_text(&in);
    size_t same = 0, start = 0;
    if (!now) cli_error("check", "the printed result: %s", in.problem);
    for (; now && now[same] && now[same] == r->result[same]; same++)
        if (now[same] == ',' || now[same] == '{') start = same + 1;
    if (now && (now[same] || r->result[same]))
        differs(r, "result differs: %.80s, %.80s in the receipt", now + start, r->result + start);
    free(now);
    return now != NULL;
}

/* Runs the operation, which prints its errors, and compares what it read, wrote and printed. Returns the exit code.
 */
static int compare_call(const cli_options *options, receipt *r, const verb *verb) {
    const int code = receipt_run(options, verb, r->count, r->words, RECORD_DISCARD);
    const record *const now = record_get();
    if (code != CLI_DONE) return CLI_FAILED;
    compare_names(r, "input", &now->inputs, &r->inputs);
    compare_outputs(r, &now->outputs);
    return compare_results(r, now->printed) ? CLI_DONE : CLI_FAILED;
}

/* -------------------------------------------------------------------------------- printing */

static void print_verdict(const receipt *r) {
    for (size_t i = 0; i < r->difference_count; i++) puts(r->differences[i]);
    if (r->difference_count == 0)
        printf("every bit agrees: %s on %s, order version %d; the receipt is of weft %s on %s\n", r->operation,
               record_get()->device, weft_order_version(), r->version, r->device);
}

static void print_json(const receipt *r) {
    json_begin_command("check");
    json_text("file", r->path);
    json_bool("agrees", r->difference_count == 0);
    json_begin_array("differences");
    for (size_t i = 0; i < r->difference_count; i++) json_text(NULL, r->differences[i]);
    json_end();
    json_integer("order", weft_order_version());
    json_end();
}

/* Returns the operation, or NULL after printing the error. Applies the options of the receipt for input files. */
static const verb *prepare(const cli_options *options, const receipt *r) {
    const verb *const verb = verb_find(r->operation);
    if (verb && !verb_is_operation(verb)) {
        cli_error("check", "%s: command \"%s\": expected an operation", r->path, r->operation);
        return NULL;
    }
    for (size_t i = 0; i < RECEIPT_FORMAT_OPTIONS; i++)
        if (r->formats[i] && !input_option(RECEIPT_FORMATS[i], r->formats[i])) return NULL;
    return verb && input_ready(verb->name, options->quiet) ? verb : NULL;
}

static int check(const cli_options *options, receipt *r) {
    if (!read_receipt(r)) return CLI_FAILED;
    const verb *const verb = prepare(options, r);
    if (!verb || !compare_inputs(r)) return CLI_FAILED;
    const int code = r->difference_count == 0 && !r->lost ? compare_call(options, r, verb) : CLI_DONE;
    if (code != CLI_DONE) return code;
    if (r->lost) {
        cli_error("check", "%s: cannot allocate memory for the differences", r->path);
        return CLI_FAILED;
    }
    if (options->json)
        print_json(r);
    else
        print_verdict(r);
    return r->difference_count == 0 ? CLI_DONE : CLI_FAILED;
}

int command_check(const cli_options *options, int argc, char **argv) {
    if (cli_next_option(argc, argv) != -1) return CLI_USAGE;
    if (argc - optind != 1) {
        cli_error(argv[0], "%d files given, 1 receipt expected; see 'weft help check'", argc - optind);
        return CLI_USAGE;
    }
    receipt r = {.path = argv[optind]};
    const int code = check(options, &r);
    record_free();
    free_receipt(&r);
    return code;
}
