/* Reads the JSON that this command writes (json.h): members in a known order, strings, integers and any values as
 * text. It accepts white space between tokens. Other text is an error. */
#ifndef WEFT_CLI_JSON_READER_H
#define WEFT_CLI_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of reading a text that ends with a 0. After the first error, all functions fail. */
typedef struct json_reader {
    const char *text, *at;
    char problem[120]; /* sentence about the first error, or "" */
} json_reader;

/* Reads the character c, such as '{'. Returns false after storing the error if another one follows. */
bool json_read(json_reader *r, char c);
/* Returns true if the character c follows, and reads it. */
bool json_read_if(json_reader *r, char c);
/* Reads the name of a member and the colon after it; and a comma first, unless the member is the first one. */
bool json_read_member(json_reader *r, bool first, const char *name);
/* Returns a string, to be freed, or NULL. A string that contains U+0000 is an error. */
char *json_read_string(json_reader *r);
bool json_read_integer(json_reader *r, int64_t *value);
/* Returns the text of a value without white space between tokens, to be freed, or NULL. Only the nesting of arrays
 * and objects is checked. */
char *json_read_text(json_reader *r);
/* Checks that nothing follows. */
bool json_read_end(json_reader *r);

#endif
