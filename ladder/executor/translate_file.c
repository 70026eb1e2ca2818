/* Translates a file: translate IN.cu OUT.cc */
#include "translate.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path) {
    FILE *const file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        size = (size_t)ftell(file);
        rewind(file);
        text = calloc(size + 1, 1);
        if (text && fread(text, 1, size, file) != size) text[0] = '\0';
    }
    if (file) (void)fclose(file);
    return text;
}

int main(int argc, char **argv) {
    char error[600];
    if (argc != 3) return fprintf(stderr, "usage: translate IN.cu OUT.cc\n"), 2;
    char *const text = read_file(argv[1]);
    if (!text) return fprintf(stderr, "%s cannot be read\n", argv[1]), 1;
    char *const made = executor_translate(argv[1], text, error, sizeof error);
    if (!made) return fprintf(stderr, "%s\n", error), 1;
    FILE *const out = fopen(argv[2], "wb");
    const int ok = out && fputs(made, out) >= 0;
    if (!out || fclose(out) != 0 || !ok) return fprintf(stderr, "%s cannot be written\n", argv[2]), 1;
    free(text);
    free(made);
    return 0;
}
