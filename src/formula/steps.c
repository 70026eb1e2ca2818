/* Emits the steps of a formula, and assigns registers to those that a value needs. */
#include "formula/steps.h"

#include <stdarg.h>
#include <string.h>

/* -------------------------------------------------------------------------------- the list */

enum { EVERY = false, REALS = true };
static const struct {
    const char *name;
    int operands;
    bool real, function;
} OPS[] = {
#define OPERATOR(ID, text, operands, domain) {text, operands, domain, false},
#define FUNCTION(ID, name, operands, domain) {#name, operands, domain, true},
#include "formula/formula.def"
};

const char *expr_op_name(map_op op) { return OPS[op].name; }
bool expr_op_is_real(map_op op) { return OPS[op].real; }
int expr_op_operands(map_op op) { return OPS[op].operands; }
bool expr_op_is_function(map_op op) { return OPS[op].function; }

/* -------------------------------------------------------------------------------- messages */

weft_status expr_point(const char *formula, size_t offset, weft_status status, weft_error *error) {
    enum { BEFORE = 40, SHOWN = 72 };
    const size_t used = strlen(error->message), start = offset > BEFORE ? offset - BEFORE : 0;
    char line[SHOWN + 1], *to = line;
    for (const char *from = formula + start; *from && to < line + SHOWN; from++)
        *to++ = *from >= ' ' && *from <= '~' ? *from : '?';
    *to = '\0';
    snprintf(error->message + used, sizeof error->message - used, "\n  %s\n  %*s", line, (int)(offset - start + 1),
             "^");
    return status;
}

weft_status expr_refuse(expr_steps *s, size_t offset, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->error->message, sizeof s->error->message, format, args);
    va_end(args);
    s->status = expr_point(s->expr->formula, offset, WEFT_INVALID, s->error);
    return s->status;
}

/* -------------------------------------------------------------------------------- operands */

expr_operand expr_small_number(unsigned number) {
    expr_operand v = {
        .is_number = true,
        .number = {
            .kind = EXPR_NUMBER, .whole = true, .integer = number, .f32 = (float)number, .f64 = (double)number}};
    v.number.text[0] = (char)('0' + number);
    return v;
}

expr_value expr_add_leaf(expr_steps *s, const expr_leaf *leaf) {
    weft_expr *e = s->expr;
    size_t i = 0;
    while (i < e->leaf_count && (e->leaves[i].kind != leaf->kind || e->leaves[i].part != leaf->part ||
                                 strcmp(e->leaves[i].text, leaf->text) != 0))
        i++;
    if (s->status == WEFT_OK && i == MAP_LEAVES)
        expr_refuse(s, s->offset, "the formula has more than %d distinct names and numbers", (int)MAP_LEAVES);
    if (s->status != WEFT_OK) return 0;
    if (i == e->leaf_count) e->leaves[e->leaf_count++] = *leaf;
    return (expr_value)i;
}

expr_value expr_settle(expr_steps *s, expr_operand *v) {
    if (v->is_number) v->value = expr_add_leaf(s, &v->number);
    v->is_number = false;
    return v->value;
}

/* ----------------------------------------------------------------------------------- steps */

expr_value expr_emit(expr_steps *s, map_op op, expr_value x, expr_value y, expr_value z) {
    if (s->status == WEFT_OK && s->count == EXPR_STEPS)
        expr_refuse(s, s->offset, "the formula has more than %d steps", (int)MAP_STEPS);
    if (s->status != WEFT_OK) return 0;
    s->steps[s->count] = (expr_step){op, {x, y, z}, (uint16_t)s->offset};
    return (expr_value)(MAP_LEAVES + s->count++);
}

weft_status expr_apply(expr_steps *s, map_op op, expr_operand *v) {
    const int count = OPS[op].operands;
    for (int i = 0; i < count; i++) expr_settle(s, &v[i]);
    v[0].value = expr_emit(s, op, v[0].value, v[count > 1 ? 1 : 0].value, v[count > 2 ? 2 : 0].value);
    return s->status;
}

/* ------------------------------------------------------------------------------- registers */

/* Steps up to the last one that computes a value. */
typedef struct needed_steps {
    size_t count;
    /* 0: not needed; UINT16_MAX: of a value; else 1 + the number of the last step that reads the result */
    uint16_t last[EXPR_STEPS];
    uint8_t registers[EXPR_STEPS];
} needed_steps;

/* Finds the steps that `count` values need, which are those of steps. */
static void find_needed(const expr_steps *s, size_t count, const expr_value *values, needed_steps *needed) {
    memset(needed, 0, sizeof *needed);
    for (size_t k = 0; k < count; k++) {
        const size_t step = (size_t)values[k] - MAP_LEAVES;
        if (needed->count <= step) needed->count = step + 1;
        needed->last[step] = UINT16_MAX;
    }
    for (size_t i = needed->count; i-- > 0;) {
        for (int k = 0; k < 3 && needed->last[i]; k++) {
            const expr_value v = s->steps[i].operands[k];
            if (v >= MAP_LEAVES && !needed->last[v - MAP_LEAVES]) needed->last[v - MAP_LEAVES] = (uint16_t)(i + 1);
        }
    }
}

/* Returns the operand number of a value in a map_step. */
static uint8_t operand_of(const needed_steps *needed, expr_value v) {
    return v < MAP_LEAVES ? (uint8_t)(MAP_REGISTERS + v) : needed->registers[v - MAP_LEAVES];
}

/* Appends step number i to the program, with a register of those that are not `held`. */
static weft_status append_step(expr_steps *s, needed_steps *needed, size_t i, uint32_t *held, expr_program *program) {
    const expr_step *const step = &s->steps[i];
    uint8_t to = 0;
    while (to < MAP_REGISTERS && *held >> to & 1) to++;
    if (to == MAP_REGISTERS)
        return expr_refuse(s, step->offset, "the formula needs more than %d intermediate values at this point",
                           (int)MAP_REGISTERS);
    if (program->step_count == MAP_STEPS)
        return expr_refuse(s, step->offset, "the formula has more than %d steps", (int)MAP_STEPS);
    program->offsets[program->step_count] = step->offset;
    program->steps[program->step_count++] =
        (map_step){(uint8_t)step->op, to, operand_of(needed, step->operands[0]),
                   operand_of(needed, step->operands[1]), operand_of(needed, step->operands[2])};
    if (program->register_count <= to) program->register_count = to + 1U;
    needed->registers[i] = to;
    *held |= UINT32_C(1) << to;
    for (int k = 0; k < 3; k++) {
        const expr_value v = step->operands[k];
        if (v >= MAP_LEAVES && needed->last[v - MAP_LEAVES] == i + 1)
            *held &= ~(UINT32_C(1) << needed->registers[v - MAP_LEAVES]);
    }
    return WEFT_OK;
}

weft_status expr_assign(expr_steps *s, size_t count, const expr_value *values, expr_program *program) {
    needed_steps needed;
    expr_value results[2];
    uint32_t held = 0;
    s->offset = 0;
    for (size_t k = 0; k < count; k++) {
        const expr_value v = values[k];
        results[k] = v < MAP_LEAVES ? expr_emit(s, MAP_COPY, v, v, v) : v;
    }
    RETURN_IF_ERROR(s->status);
    find_needed(s, count, results, &needed);
    for (size_t i = 0; i < needed.count; i++)
        if (needed.last[i]) RETURN_IF_ERROR(append_step(s, &needed, i, &held, program));
    for (size_t k = 0; k < count; k++) program->results[k] = operand_of(&needed, results[k]);
    return WEFT_OK;
}
