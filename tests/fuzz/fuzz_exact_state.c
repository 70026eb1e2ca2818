/* Fuzzer of states of exact sums: any bytes and any words either are refused with a sentence or are a sum. A sum that
 * was loaded is saved as the same bytes, has values, and can be merged. */
#include <weft.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const weft_op OPS[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2};

/* Every value of a state exists, except the mean of no terms. */
static void round_all(const weft_exact_state *state) {
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        double wide;
        float narrow;
        const weft_status status = weft_exact_value(OPS[i], WEFT_F64, state, &wide);
        if (status != weft_exact_value(OPS[i], WEFT_F32, state, &narrow)) abort();
        if (status != WEFT_OK && (status != WEFT_EMPTY || state->word[140] != 0)) abort();
    }
}

/* Merges a state with itself, which fails only if it has too many terms or a value of more than 2^2111. */
static void merge(weft_exact_state state) {
    if (weft_exact_merge(&state, &state) == WEFT_OK) round_all(&state);
}

static void try_words(const uint8_t *data) {
    weft_exact_state state, tidy = {{0}};
    memcpy(state.word, data, sizeof state.word);
    const weft_status status = weft_exact_merge(&state, &tidy);
    if (status != WEFT_OK && !*weft_last_error(NULL)) abort();
    if (status != WEFT_OK) return;
    round_all(&state);
    merge(tidy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    weft_exact_state state;
    uint8_t again[WEFT_EXACT_BYTES];
    if (size == sizeof state.word) try_words(data);
    if (weft_exact_load(size, data, &state) != WEFT_OK) {
        if (!*weft_last_error(NULL)) abort();
        return 0;
    }
    if (weft_exact_save(&state, sizeof again, again) != WEFT_OK || memcmp(again, data, sizeof again) != 0) abort();
    round_all(&state);
    merge(state);
    return 0;
}
