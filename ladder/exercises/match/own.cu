/* Exercise own: how often a word of four letters occurs in a text
 *
 * The text has n bytes, in an array of (n + 3) / 4 words of 32 bits, with
 * the first byte in the lowest 8 bits. The last word is padded with letters
 * that do not belong to the text. `word` has four letters in the same form.
 * Write a kernel and its launch: *count = the number of positions p with
 * p + 4 <= n at which the word begins. It may begin at any byte, and
 * occurrences may overlap. n is any number from 1 on. `count` contains
 * arbitrary bytes when `solve` is called.
 *
 * For 10 points a block reads its part of the text once, into shared
 * memory, and needs one atomic in global memory.
 *
 * Hint: Thread l compares the word with the four letters at 4 l, 4 l + 1, 4
 * l + 2 and 4 l + 3. The last three need word l + 1 of the text too.
 *
 * Hint: The letters at byte o of word `low` are (low >> 8 * o) | (high <<
 * (32 - 8 * o)), for o = 1, 2, 3. For o = 0 this would be a shift by 32
 * bits, which is not defined. `__funnelshift_r(low, high, 8 * o)` does both
 * for o = 0 ... 3.
 *
 * Hint: A block of 256 threads needs 257 words: a word may begin in the
 * last word of its part and end in the next part. After the last word of
 * the text nothing may be read.
 *
 * Hint: Each thread adds its matches to a counter in shared memory, which
 * is 0 before the first one adds. After the last one has added, one thread
 * adds the counter to *count.
 *
 * Sizes: 1 3 4 5 6 7 8 31 1023 1024 1027 1028 5000 40003; 100000003 on a
 * GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned THREADS = 256;

__global__ void count_word(size_t n, const unsigned *text, unsigned word,
                           unsigned *count) {
    __shared__ unsigned part[THREADS + 1], found;
    const unsigned t = threadIdx.x;
    const size_t words = (n + 3) / 4, first = (size_t)blockIdx.x * THREADS;
    for (unsigned k = t; k <= THREADS; k += THREADS)
        part[k] = first + k < words ? text[first + k] : 0;
    if (t == 0) found = 0;
    __syncthreads();
    for (unsigned offset = 0; offset < 4; offset++) {
        const unsigned letters =
            __funnelshift_r(part[t], part[t + 1], 8 * offset);
        if (letters == word && 4 * (first + t) + offset + 4 <= n)
            atomicAdd(&found, 1u);
    }
    __syncthreads();
    if (t == 0) atomicAdd(count, found);
}
/* End of blank */

void solve(size_t n, const unsigned *text, unsigned word, unsigned *count) {
    /* Blank: clear the count, and launch the kernel */
    cudaMemset(count, 0, sizeof *count);
    const size_t words = (n + 3) / 4;
    const unsigned blocks = (unsigned)((words + THREADS - 1) / THREADS);
    count_word<<<blocks, THREADS>>>(n, text, word, count);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *text, unsigned word, unsigned *count);

/* Returns a text of the letters a and b, in which "abab" occurs at every
 * offset, also across the ends of blocks. It occurs at the end, and again
 * if the padding is read. */
static std::vector<unsigned> text_of(size_t n, unsigned seed) {
    const std::vector<int> numbers = ladder_values<int>(n, seed);
    std::vector<unsigned char> letters(4 * ((n + 3) / 4));
    for (size_t i = 0; i < n; i++)
        letters[i] = numbers[i] % 2 == 0 ? 'a' : 'b';
    for (size_t border = 1024; border + 4 < n; border += 1024)
        memcpy(&letters[border - 1 - border / 1024 % 3], "abab", 4);
    for (size_t i = 0; i < n && i < 6; i++)
        letters[n - 1 - i] = "ba"[i % 2];
    for (size_t i = n; i < letters.size(); i++)
        letters[i] = "ab"[(i - n) % 2];
    std::vector<unsigned> words(letters.size() / 4);
    memcpy(words.data(), letters.data(), letters.size());
    return words;
}

void check_exercise(climb &c) {
    const std::vector<unsigned> words = text_of(c.n, c.seed);
    const unsigned char *const letters =
        (const unsigned char *)words.data();
    unsigned word, found = 0;
    memcpy(&word, "abab", 4);
    for (size_t p = 0; p + 4 <= c.n; p++)
        found += memcmp(letters + p, "abab", 4) == 0;
    const unsigned *const text = c.input(words);
    unsigned *const count = c.output<unsigned>(1);
    c.work(4.0 * (double)words.size() +
               12.0 * (double)blocks_for<size_t>(words.size(), 256),
           0);
    c.rung(
        "own", [&] { return c.holds(count, std::vector<unsigned>{found}); },
        [&] { solve(c.n, text, word, count); });
}
