/* Functions shared by the commands that process arrays in chunks, because they are larger than the permitted memory
 * or come from a pipe. Ctrl-C ends the work but not the process, which then reports its progress. */
#ifndef WEFT_CLI_STREAMED_H
#define WEFT_CLI_STREAMED_H

#include "cli/cli.h"
#include "cli/io/file.h"

/* An array that is read in chunks. */
typedef struct stream_input {
    struct stream *stream;
    const char *path;
    npy_stream npy;
    weft_source source;
    unsigned long long read; /* bytes read in this pass */
    npy_error error;         /* the error of this input, or "" */
} stream_input;

/* State of one call of such a command. */
typedef struct stream {
    const char *command;
    const cli_options *options;
    stream_input *inputs;
    int count;
    double done, bytes; /* bytes of the first input: read so far, and total of all passes */
    const char *to;
    file_writer writer;
    size_t written; /* bytes of an element of the output */
    bool writing;
    weft_sink sink; /* passes chunks to the writer */
    npy_error error;
} stream;

/* Returns the bytes of --memory, or half of the machine's memory if it was not given. */
size_t stream_memory(const cli_options *options);
/* Returns true if the file must be read in chunks by a call that makes `passes` passes over it: it is larger than the
 * permitted memory, or it is a pipe that is read once. */
bool stream_wanted(const cli_options *options, const char *path, int passes);

/* Opens the arrays, which will be read `passes` times. Returns CLI_DONE, or the exit code after printing the error.
 * stream_close must be called in any case. */
int stream_open(stream *s, const char *command, const cli_options *options, const char *const *paths, int count,
                int passes);
/* Returns to the first elements of all inputs. Prints the error on failure. */
bool stream_rewind(stream *s);
/* Begins the output file with its header. Prints the error on failure. */
bool stream_write_to(stream *s, const char *to, weft_dtype dtype, const npy_shape *shape);
/* Ends the output file after the library's call returned `status`, and prints the error if there was one. Returns the
 * exit code. */
int stream_end(stream *s, const weft_context *ctx, weft_status status);
void stream_close(stream *s);
/* Returns true, after printing the error, if the library's call failed because --memory is too small for it. */
bool stream_memory_refused(const stream *s, const weft_context *ctx);

#endif
