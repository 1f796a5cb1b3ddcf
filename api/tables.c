/* The tables of --list-ops, --list-platforms and --list-passes as JSON. A text is made when it is
 * first asked for and stays; threads that ask at once each make one, and the first one counts. */
#include "api/border.h"
#include "base/json.h"
#include "ir/op.h"

#include <string.h>

typedef struct {
    Heap heap;
    Buf text;
} Table;

static void default_value(JsonWriter *w, const OpSlot *s)
{
    json_key(w, "default");
    if (s->kind == SLOT_ENUM)
        json_str(w, enum_value_name(s->enum_type, s->value));
    else if (s->kind == SLOT_STR)
        json_str(w, s->text);
    else if (s->kind == SLOT_BOOL)
        json_bool(w, s->value != 0);
    else
        json_int(w, s->value);
}

static void other_names(JsonWriter *w, const char *list)
{
    json_member_open(w, "other_names", '[');
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        Buf name = {0};
        buf_bytes(&name, at, n);
        json_str(w, name.at);
        buf_free(&name);
        at += n + strspn(at + n, " ");
    }
    json_close(w);
}

static void operand(JsonWriter *w, const OpSlot *s)
{
    json_open(w, '{');
    json_member_str(w, "name", s->name);
    json_member_str(w, "takes", op_slot_type(s));
    json_member_bool(w, "optional", opnd_may_be_left_out(s));
    json_member_bool(w, "keyword", (s->flags & OPND_KEYWORD) != 0);
    if (s->flags & OPND_DEFAULT)
        default_value(w, s);
    other_names(w, s->others);
    json_close(w);
}

static void levels(JsonWriter *w, uint8_t mask)
{
    static const char *const names[] = {"host", "orchestration", "InCore"};
    json_member_open(w, "levels", '[');
    for (int i = 0; i < 3; i++)
        if (mask & 1 << i)
            json_str(w, names[i]);
    json_close(w);
}

static void operation(JsonWriter *w, const OpInfo *op)
{
    json_newline(w);
    json_open(w, '{');
    json_member_str(w, "name", op->full);
    json_member_str(w, "short", op->shorter);
    json_member_str(w, "doc", op->doc);
    levels(w, op->levels);
    json_member_open(w, "operands", '[');
    for (const OpSlot *s = op->slots; s->name; s++)
        if (!(s->flags & OPND_IR_ONLY))
            operand(w, s);
    json_close(w);
    json_close(w);
}

static void operations(JsonWriter *w)
{
    for (int id = 0; id < OPCODE_COUNT; id++)
        if (!(op_info((OpId)id)->traits & TRAIT_IR_ONLY))
            operation(w, op_info((OpId)id));
}

static void all_platforms(JsonWriter *w)
{
    const PlatformField *f;
    for (int i = 0; i < PLATFORM_COUNT; i++) {
        json_newline(w);
        json_open(w, '{');
        json_member_str(w, "name", platforms[i].name);
        json_member_open(w, "fields", '[');
        for (uint32_t k = 0; (f = platform_field(k)); k++) {
            json_open(w, '{');
            json_member_str(w, "name", f->name);
            json_member_int(w, "value", platform_value(&platforms[i], f));
            json_member_str(w, "unit", f->unit);
            json_member_str(w, "doc", f->doc);
            json_close(w);
        }
        json_close(w);
        json_close(w);
    }
}

static void all_passes(JsonWriter *w)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        const PassInfo *p = pass_info((PassId)i);
        json_newline(w);
        json_open(w, '{');
        json_member_str(w, "name", p->name);
        json_member_str(w, "file", p->file);
        json_member_str(w, "doc", p->doc);
        json_close(w);
    }
}

typedef struct {
    Table *table;
    void (*rows)(JsonWriter *w);
} Making;

static int make(void *env)
{
    const Making *m = env;
    JsonWriter w;
    json_init(&w, &m->table->text);
    json_open(&w, '[');
    m->rows(&w);
    json_newline(&w);
    json_close(&w);
    return PLD_OK;
}

static const char *published(_Atomic(Table *) *slot, void (*rows)(JsonWriter *w))
{
    Table *t = atomic_load(slot), *none = NULL;
    if (t)
        return t->text.at;
    t = heap_try(sizeof *t);
    if (!t)
        return NULL;
    bool made = border(&t->heap, make, &(Making){t, rows}) == PLD_OK;
    if (made && atomic_compare_exchange_strong(slot, &none, t))
        return t->text.at;
    heap_free(&t->heap);
    xfree(t);
    return made ? none->text.at : NULL;
}

const char *pld_ops_json(void)
{
    static _Atomic(Table *) table;
    return published(&table, operations);
}

const char *pld_platforms_json(void)
{
    static _Atomic(Table *) table;
    return published(&table, all_platforms);
}

const char *pld_passes_json(void)
{
    static _Atomic(Table *) table;
    return published(&table, all_passes);
}
