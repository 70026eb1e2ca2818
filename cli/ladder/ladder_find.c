/* Finds topics, rungs and exercises by name. */
#include "cli/ladder/ladder_learner.h"
#include "cli/nearest.h"

#include <stdio.h>
#include <string.h>

static const char *topic_name(size_t i) { return LADDER_TOPICS[i].name; }

const ladder_topic_text *ladder_find_topic(const char *name) {
    for (size_t i = 0; i < LADDER_TOPIC_COUNT; i++)
        if (same_name(LADDER_TOPICS[i].name, name)) return &LADDER_TOPICS[i];
    const char *nearest = nearest_name(name, topic_name, LADDER_TOPIC_COUNT);
    if (nearest)
        cli_error("ladder", "unknown topic '%s'; did you mean '%s'?", name, nearest);
    else
        cli_error("ladder", "unknown topic '%s'; 'weft ladder' lists the topics", name);
    return NULL;
}

/* Parameter of the functions below, which only take an index. */
static const ladder_topic_text *named;
static const char *rung_name(size_t i) { return named->rungs[i].name; }
static const char *part_name(size_t i) {
    return i < named->exercise_count ? named->exercises[i].name : rung_name(i - named->exercise_count);
}

static void tell_names(const char *name, const char *kind, const char *(*name_of)(size_t), size_t count) {
    const char *nearest = nearest_name(name, name_of, count);
    if (nearest) {
        cli_error("ladder", "%s has no %s '%s'; did you mean '%s'?", named->name, kind, name, nearest);
        return;
    }
    char names[1024] = "";
    for (size_t i = 0; i < count; i++) {
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, name_of(i), sizeof names - strlen(names) - 1);
    }
    cli_error("ladder", "%s has no %s '%s': expected one of %s", named->name, kind, name, names);
}

const ladder_rung_text *ladder_look_up(const ladder_topic_text *topic, const char *name) {
    for (size_t i = 0; i < topic->rung_count; i++)
        if (same_name(topic->rungs[i].name, name)) return &topic->rungs[i];
    return NULL;
}

const ladder_rung_text *ladder_find_rung(const ladder_topic_text *topic, const char *name) {
    const ladder_rung_text *rung = ladder_look_up(topic, name);
    if (rung) return rung;
    named = topic;
    tell_names(name, "rung", rung_name, topic->rung_count);
    return NULL;
}

bool ladder_find_part(const char *name, ladder_part *part) {
    char topic[64];
    const size_t length = strcspn(name, "/");
    snprintf(topic, sizeof topic, "%.*s", (int)length, name);
    *part = (ladder_part){.topic = ladder_find_topic(topic)};
    if (!part->topic) return false;
    const char *const rest = name[length] ? name + length + 1 : "own";
    for (size_t i = 0; i < part->topic->exercise_count; i++)
        if (same_name(part->topic->exercises[i].name, rest)) part->exercise = &part->topic->exercises[i];
    if (!part->exercise) part->rung = ladder_look_up(part->topic, rest);
    if (part->exercise || part->rung) return true;
    named = part->topic;
    tell_names(rest, "rung or exercise", part_name, named->exercise_count + named->rung_count);
    return false;
}

/* ----------------------------------------------------------------------------------- types */

bool ladder_takes(const ladder_topic_text *topic, const char *type) {
    const size_t length = strlen(type);
    for (const char *at = topic->types; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (length == strcspn(at, " ") && memcmp(at, type, length) == 0) return true;
    return false;
}

void ladder_first_type(const ladder_topic_text *topic, char type[8]) {
    snprintf(type, 8, "%.*s", (int)strcspn(topic->types, " "), topic->types);
}

weft_dtype ladder_dtype(const char *name) {
    weft_dtype dtype = WEFT_F32;
#define TYPE(ID, type, ctype, kind, npy) \
    if (strcmp(name, #type) == 0) dtype = WEFT_##ID;
#include "core/types.def"
    return dtype;
}
