/* The most frequent words of K letters (k-mers) in DNA: kmers K [HOW_MANY] < sequence.txt
 * Each k-mer is a number of 2 K bits. Sorted, equal ones stand together; run lengths count them, and top_k ranks
 * them. Lines that begin with > are names (FASTA); a letter other than A, C, G, T ends a word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static weft_context *ctx;

static void must(weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "kmers: %s\n", weft_last_error(ctx));
    exit(1);
}

static void *allocate(size_t n) {
    void *p = malloc(n * 8 + 8);
    if (p == NULL) exit((perror("kmers"), 1));
    return p;
}

/* The k-mers of the input as numbers, A = 0 ... T = 3, the first letter highest. */
static size_t read_kmers(FILE *file, int k, uint64_t **kmers) {
    const uint64_t mask = k == 32 ? UINT64_MAX : ((uint64_t)1 << 2 * k) - 1;
    size_t n = 0, size = 1 << 16;
    uint64_t word = 0;
    int letters = 0, line_start = 1, name = 0;
    *kmers = allocate(size);
    for (int c; (c = getc(file)) != EOF; line_start = c == '\n') {
        static const char bases[] = "ACGT";
        if (line_start) name = c == '>';
        const char *base = memchr(bases, c & ~32, 4);
        if (name || base == NULL) {
            if (c != '\n' || name) letters = 0;
            continue;
        }
        word = (word << 2 | (uint64_t)(base - bases)) & mask;
        if (++letters < k) continue;
        if (n == size && (*kmers = realloc(*kmers, (size *= 2) * 8)) == NULL) exit((perror("kmers"), 1));
        (*kmers)[n++] = word;
    }
    return n;
}

int main(int argc, char **argv) {
    const int k = argc > 1 ? atoi(argv[1]) : 0;
    size_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    if (k < 1 || k > 32) return fprintf(stderr, "kmers: K is %d and must be from 1 to 32\n", k), 2;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "kmers: %s\n", weft_last_error(NULL)), 1;
    uint64_t *kmers, different;
    const size_t n = read_kmers(stdin, k, &kmers);
    uint64_t *words = allocate(n), *counts = allocate(n);
    must(weft_sort_bits(ctx, WEFT_ASCENDING, WEFT_U64, 0, 2 * (unsigned)k, n, kmers, 0, NULL, kmers, NULL));
    must(weft_run_length(ctx, WEFT_U64, n, kmers, words, counts, &different));
    if (wanted > different) wanted = different;
    uint64_t *best = allocate(wanted), *where = allocate(wanted);
    must(weft_top_k(ctx, WEFT_LARGEST, WEFT_U64, different, counts, wanted, best, where));
    printf("%zu words of %d letters, %llu different\n", n, k, (unsigned long long)different);
    for (size_t i = 0; i < wanted; i++) {
        for (int letter = k - 1; letter >= 0; letter--) putchar("ACGT"[words[where[i]] >> 2 * letter & 3]);
        printf(" %llu\n", (unsigned long long)best[i]);
    }
    weft_close(ctx);
    free(kmers);
    free(words);
    free(counts);
    free(best);
    free(where);
}
