/* Body of cpu/kernels/random.c for one float type. */

enum { OF(WORDS) = WEFT_SAMPLE_WORDS(sizeof(T)) };

static void OF(uniform)(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const T a = (T)c->a, b = (T)c->b;
    T *const to = out;
    (void)first;
    for (size_t i = 0; i < n; i++) to[i] = OF(weft_uniform)(words + i * OF(WORDS), a, b);
}

static void OF(normal)(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const double mean = c->a, deviation = c->b;
    T *const to = out;
    (void)first;
    for (size_t i = 0; i < n; i++) to[i] = (T)weft_normal(OF(weft_middle)(words + i * OF(WORDS)), mean, deviation);
}

static void OF(lognormal)(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const double mean = c->a, deviation = c->b;
    T *const to = out;
    (void)first;
    for (size_t i = 0; i < n; i++) to[i] = (T)weft_lognormal(OF(weft_middle)(words + i * OF(WORDS)), mean, deviation);
}

static void OF(exponential)(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const double rate = c->a;
    T *const to = out;
    (void)first;
    for (size_t i = 0; i < n; i++) to[i] = (T)weft_exponential(OF(weft_middle)(words + i * OF(WORDS)), rate);
}
