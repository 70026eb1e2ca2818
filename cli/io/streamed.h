/* What the commands share that work on arrays piece by piece: larger than the memory that they may have, or from a
 * pipe. Ctrl-C ends the work, not the process, which then says how far it got. */
#ifndef WEFT_CLI_STREAMED_H
#define WEFT_CLI_STREAMED_H

#include "cli/cli.h"
#include "cli/io/file.h"

/* An array that is read. */
typedef struct stream_input {
    struct stream *stream;
    const char *path;
    npy_stream npy;
    weft_source source;
    unsigned long long read; /* bytes, in this pass */
    npy_error error;         /* what is wrong with it, or "" */
} stream_input;

/* One call. */
typedef struct stream {
    const char *command;
    const cli_options *options;
    stream_input *inputs;
    int count;
    double done, bytes; /* that the first input has given, and gives in all passes */
    const char *to;
    file_writer writer;
    bool writing;
    weft_sink sink; /* to the writer */
    npy_error error;
} stream;

/* The bytes of --memory, or half of the machine's memory. */
size_t stream_memory(const cli_options *options);
/* Whether the file is to be read piece by piece, for a call that goes over it `passes` times: it is larger than the
 * memory, or a pipe that is read once. */
bool stream_wanted(const cli_options *options, const char *path, int passes);

/* Opens the arrays; `passes` is how often they are read. Returns CLI_DONE, or the exit code after the error was
 * printed. stream_close is due in any case. */
int stream_open(stream *s, const char *command, const cli_options *options, const char *const *paths, int count,
                int passes);
/* Back to the first elements of all inputs; prints the error. */
bool stream_rewind(stream *s);
/* Begins the result's file with its header; prints the error. */
bool stream_write_to(stream *s, const char *to, weft_dtype dtype, const npy_shape *shape);
/* What became of the library's call: ends the result's file, and tells of an error. Returns the exit code. */
int stream_end(stream *s, const weft_context *ctx, weft_status status);
void stream_close(stream *s);
/* Returns true, after the error was printed, if the library's call failed because --memory is too little for it. */
bool stream_memory_refused(const stream *s, const weft_context *ctx);

#endif
