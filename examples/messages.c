/* One layer of a graph neural network: messages [NODES [EDGES]]
 *
 * Each node of a directed graph has FEATURES numbers. In a layer every node sends its features along its edges, takes
 * the mean of what it receives, and multiplies this mean by a matrix of weights:
 *     h'[v] = relu(W m[v]),  m[v] = mean of h[u] over all edges u -> v
 * An edge is a pair (source, target). So the layer is
 *     weft_gather          the row of features of the source of each edge
 *     weft_scatter_reduce  the means of the rows of the edges with the same target
 *     weft_matmul          the product of the means and the transposed weights
 *     weft_map             max(h, 0)
 * Every node has an edge to itself: no mean is of nothing. With a plain loop or with atomic additions, the means
 * depend on the number of threads; here all four steps give the same bits for any number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { FEATURES = 16, OUTPUTS = 8 };

static void check(weft_context *ctx, weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "messages: %s\n", weft_last_error(ctx));
    exit(1);
}

static void *array(size_t n, size_t size) {
    void *p = n <= SIZE_MAX / size ? malloc(n * size) : NULL;
    if (p == NULL) exit((perror("messages"), 1));
    return p;
}

typedef struct graph {
    size_t nodes, edges;
    uint32_t *sources, *targets;
} graph;

/* An edge from each node to itself, then random edges. */
static graph random_graph(weft_context *ctx, size_t nodes, size_t edges) {
    graph g = {nodes, nodes + edges, array(nodes + edges, sizeof *g.sources),
               array(nodes + edges, sizeof *g.targets)};
    const uint32_t low = 0, high = (uint32_t)nodes - 1;
    for (size_t v = 0; v < nodes; v++) g.sources[v] = g.targets[v] = (uint32_t)v;
    check(ctx, weft_random_integers(ctx, WEFT_U32, 1, 0, 0, edges, &low, &high, g.sources + nodes));
    check(ctx, weft_random_integers(ctx, WEFT_U32, 1, 1, 0, edges, &low, &high, g.targets + nodes));
    return g;
}

/* Computes the layer: h has FEATURES numbers for each node, result OUTPUTS. */
static void layer(const char *device, int threads, const graph *g, const float *h, const float *weights,
                  float *result) {
    float *sent = array(g->edges, FEATURES * sizeof *sent), *means = array(g->nodes, FEATURES * sizeof *means);
    const weft_binding h_of_formula = {"h", WEFT_F32, result, NULL};
    weft_context *ctx;
    weft_expr *relu;
    check(NULL, weft_open(&ctx, device));
    check(ctx, weft_set_threads(ctx, threads));
    check(ctx, weft_expr_compile(ctx, "max(h, 0)", &relu));
    check(ctx,
          weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_U32, g->edges, FEATURES, g->nodes, h, g->sources, sent));
    check(ctx, weft_scatter_reduce(ctx, WEFT_MEAN, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_U32, g->edges,
                                   FEATURES, g->nodes, sent, g->targets, NULL, means));
    check(ctx, weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, WEFT_F32, WEFT_DEFAULT, g->nodes,
                           OUTPUTS, FEATURES, NULL, means, FEATURES, weights, FEATURES, NULL, result, OUTPUTS));
    check(ctx, weft_map(ctx, relu, WEFT_F32, g->nodes * OUTPUTS, &h_of_formula, 1, result));
    weft_expr_free(relu);
    weft_close(ctx);
    free(means);
    free(sent);
}

int main(int argc, char **argv) {
    const size_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    const size_t edges = argc > 2 ? strtoull(argv[2], NULL, 10) : 500000, values = nodes * OUTPUTS;
    if (nodes < 1 || nodes > UINT32_MAX) return fputs("messages: NODES is not 1 to 2^32 - 1\n", stderr), 2;
    float *h = array(nodes, FEATURES * sizeof *h), weights[OUTPUTS * FEATURES];
    float *best = array(values, sizeof *best), *one = array(values, sizeof *one),
          *seven = array(values, sizeof *seven);
    uint64_t active;
    weft_context *ctx;
    check(NULL, weft_open(&ctx, "auto"));
    const graph g = random_graph(ctx, nodes, edges);
    check(ctx, weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 2, 0, nodes * FEATURES, 0, 1, h));
    check(ctx, weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 3, 0, OUTPUTS * FEATURES, 0, 0.25, weights));
    layer("auto", 0, &g, h, weights, best);
    layer("cpu:base", 1, &g, h, weights, one);
    layer("cpu", 7, &g, h, weights, seven);
    check(ctx, weft_reduce(ctx, WEFT_COUNT_NONZERO, WEFT_F32, WEFT_DEFAULT, values, best, &active));

    const size_t bytes = values * sizeof *best;
    const int same = memcmp(best, one, bytes) == 0 && memcmp(best, seven, bytes) == 0;
    printf("%zu nodes, %zu edges: %llu of %zu outputs are positive, the first node has", nodes, g.edges,
           (unsigned long long)active, values);
    for (int k = 0; k < OUTPUTS; k++) printf(" %.6g", (double)best[k]);
    printf("\nThe best device, 1 plain thread and 7 threads give the same bits: %s\n", same ? "yes" : "no");
    return !same;
}
