/* A stage of weft_matmul on some of the terms, the others being elsewhere: what libweft_dist asks of backends. */
#ifndef WEFT_CORE_MATMUL_PIECE_H
#define WEFT_CORE_MATMUL_PIECE_H

typedef enum matmul_stage {
    MATMUL_BEGIN, /* the call's terms, from the first of a part on: their chains begin */
    MATMUL_GO_ON, /* terms of one part: its chains go on from the sums */
    MATMUL_END    /* all terms have been taken: the parts' sums, which are lost, join and become C */
} matmul_stage;

/* Beside weft_matmul's own arguments, of one product without transposes. Before the end C is not used, and at the end
 * neither factor is. */
typedef struct matmul_piece {
    matmul_stage stage;
    void *sums; /* m x n values of the chains' type for each part of the call's terms, in memory of the device */
} matmul_piece;

#endif
