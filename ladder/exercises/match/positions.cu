/* Exercise positions: the first and the last position of a word
 *
 * The text and the word have the form of exercise `own`: n bytes in words
 * of 32 bits, of which the last may be padded with letters that do not
 * belong to the text. A thread processes 16 bytes: it reads its four words
 * and the one after them, if there is one, into registers. *first = the
 * lowest position p with p + 4 <= n at which the word begins, and
 * *last = the highest. If it does not occur, *first = n and *last = 0. n is
 * less than 2^32. Write three parts: the four letters at any byte of the
 * thread's five words, the loop that compares, and the initial values.
 *
 * Hint: Byte b of the thread's 20 bytes is in word b / 4, at byte b % 4 of
 * this word. The letters from there on are the upper bytes of this word and
 * the lower bytes of the next one.
 *
 * Hint: A shift of 32 bits by 32 is not defined. `__funnelshift_r(low,
 * high, bits)` returns the lower 32 bits of the 64 bits (high, low) shifted
 * to the right.
 *
 * Hint: `atomicMin` and `atomicMax` combine the positions of all threads.
 * *first must begin with a number that is at least as large as every
 * position.
 *
 * Hint: `cudaMemcpy(to, &variable, sizeof variable,
 * cudaMemcpyHostToDevice)` sets a number in the device's memory.
 *
 * Sizes: 1 3 4 5 15 17 18 19 20 2047 2048 2050 10003; 100000003 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 128, OWN = 4; /* words per thread */

/* Returns the four letters at byte b = 0 ... 15 of five words. */
__device__ unsigned letters_at(const unsigned *own, unsigned b) {
    /* Blank: the letters */
    return __funnelshift_r(own[b / 4], own[b / 4 + 1], 8 * (b % 4));
    /* End of blank: return 0; */
}

__global__ void find_word(size_t n, const unsigned *text, unsigned word,
                          unsigned *first, unsigned *last) {
    const size_t words = (n + 3) / 4;
    const size_t begin = OWN * ((size_t)blockIdx.x * THREADS + threadIdx.x);
    unsigned own[OWN + 1];
    for (unsigned k = 0; k <= OWN; k++)
        own[k] = begin + k < words ? text[begin + k] : 0;
    /* Blank: compare the letters at 16 bytes with the word */
    for (unsigned b = 0; b < 4 * OWN; b++) {
        const size_t p = 4 * begin + b;
        if (p + 4 > n || letters_at(own, b) != word) continue;
        atomicMin(first, (unsigned)p);
        atomicMax(last, (unsigned)p);
    }
    /* End of blank */
}

void solve(size_t n, const unsigned *text, unsigned word, unsigned *first,
           unsigned *last) {
    /* Blank: set *first and *last to their initial values */
    const unsigned most = (unsigned)n;
    cudaMemcpy(first, &most, sizeof most, cudaMemcpyHostToDevice);
    cudaMemset(last, 0, sizeof *last);
    /* End of blank */
    const size_t threads = (n + 4 * OWN - 1) / (4 * OWN);
    const unsigned blocks = (unsigned)((threads + THREADS - 1) / THREADS);
    find_word<<<blocks, THREADS>>>(n, text, word, first, last);
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *text, unsigned word, unsigned *first,
           unsigned *last);

void check_exercise(climb &c) {
    /* A text of the letters a and b, with few "wxyz". One is at the very
     * end of the text if n is odd. An even n ends in "wxy", and the padding
     * begins with "z". */
    const std::vector<int> numbers = ladder_values<int>(c.n + 4, c.seed);
    std::vector<unsigned char> letters(4 * ((c.n + 3) / 4), 'z');
    for (size_t i = 0; i < c.n; i++)
        letters[i] = numbers[i] % 2 == 0 ? 'a' : 'b';
    const auto put = [&](size_t at, size_t count) {
        if (at + count <= c.n) memcpy(&letters[at], "wxyz", count);
    };
    const size_t early = (size_t)(numbers[0] + 1000) % 16 + 1;
    /* For an even n the first one begins a word */
    if (c.n > 40) put(c.n % 2 ? early : early / 4 * 4, 4);
    for (size_t at = c.n / 3 + 7; at + 40 < c.n; at += 1001) put(at, 4);
    if (c.n % 2) put(c.n - (c.n < 4 ? c.n : 4), 4);
    if (c.n % 2 == 0) put(c.n - 3, 3);
    std::vector<unsigned> words(letters.size() / 4);
    memcpy(words.data(), letters.data(), letters.size());
    unsigned word, lowest = (unsigned)c.n, highest = 0;
    memcpy(&word, "wxyz", 4);
    for (size_t p = 0; p + 4 <= c.n; p++) {
        if (memcmp(&letters[p], "wxyz", 4) != 0) continue;
        if (lowest == c.n) lowest = (unsigned)p;
        highest = (unsigned)p;
    }
    const unsigned *const text = c.input(words);
    unsigned *const first = c.output<unsigned>(1);
    unsigned *const last = c.output<unsigned>(1);
    c.work(1.25 * (double)c.n + 16.0 * (double)c.n / 1000, 0);
    const ladder_claim right = [&] {
        const std::string said =
            c.holds(first, std::vector<unsigned>{lowest});
        return said.empty() ? c.holds(last, std::vector<unsigned>{highest})
                            : said;
    };
    c.rung("positions", right,
           [&] { solve(c.n, text, word, first, last); });
}
