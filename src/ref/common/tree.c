/* The canonical tree, compiled twice: for float and for double. */
#include "ref/common/tree.h"

#define REAL float
#define TERMS terms_f32
#define TILE tile_f32
#define FOLD fold_f32
#define TREE tree_f32
#include "ref/bodies/tree_body.h"

#define REAL double
#define TERMS terms_f64
#define TILE tile_f64
#define FOLD fold_f64
#define TREE tree_f64
#include "ref/bodies/tree_body.h"
