/* JSON and XML text. */
#ifndef PLD_BASE_JSON_H
#define PLD_BASE_JSON_H

#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

/* A writer that places commas itself. Objects: json_open(w, '{'), json_key, value, json_close. */
typedef struct {
    Buf *out;
    char stack[64]; /* '{' or '[' per open level; what we write has a handful of them */
    uint8_t depth;
    bool first; /* no member written on this level yet */
    bool after_key;
    bool line_break; /* asked for, comes before the next member or bracket */
} JsonWriter;

void json_init(JsonWriter *w, Buf *out);
void json_open(JsonWriter *w, char bracket); /* '{' or '[' */
void json_close(JsonWriter *w);
void json_key(JsonWriter *w, const char *key);
void json_str(JsonWriter *w, const char *text); /* escapes; invalid UTF-8 becomes U+FFFD */
void json_int(JsonWriter *w, int64_t v);
void json_number(JsonWriter *w, const char *text); /* as written */
void json_bool(JsonWriter *w, bool v);
/* A key and its value; a NULL text leaves both out. */
void json_member_str(JsonWriter *w, const char *key, const char *text);
void json_member_int(JsonWriter *w, const char *key, int64_t v);
void json_member_double(JsonWriter *w, const char *key, double v); /* inf and nan as strings */
void json_member_bool(JsonWriter *w, const char *key, bool v);
void json_member_open(JsonWriter *w, const char *key, char bracket);
void json_newline(JsonWriter *w); /* a line break before what comes next */

/* Appends text with & < > " ' escaped and control characters dropped. */
void xml_escape(Buf *out, const char *text);

#endif
