/* Which file an import means, and reading it. */
#include "elab/comptime/module.h"
#include "elab/comptime/script.h"
#include "parser/parser.h"
#include <string.h>
#include <sys/stat.h>

static char *join(Modules *ms, const char *dir, const char *name, const char *end)
{
    return arena_printf(ms->arena, "%s%s%s%s", ms->options->folder, dir, name, end);
}

static bool is_kind(const char *path, mode_t kind)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

/* "a.b" -> "a/b" */
static char *as_path(Modules *ms, const char *dotted)
{
    char *path = arena_strndup(ms->arena, dotted, strlen(dotted));
    for (char *at = path; *at; at++)
        *at = *at == '.' ? '/' : *at;
    return path;
}

/* ---- reading */

static bool script_names(void *env, const Ast *import, SymList *names);
static bool script_has(void *env, const Ast *import, Sym member);

typedef struct {
    Modules *ms;
    Module *m;
} Reader;

static void parse(Modules *ms, Module *m, Span span, bool script)
{
    Reader r = {ms, m};
    ScriptImports imports = {.env = &r, .names = script_names, .has = script_has};
    imports.imported = ms->modules.len > 1;
    if (script)
        m->ast = script_read(ms->options->trees, ms->in, ms->src, span, &imports, ms->diags);
    else if (ms->modules.len == 1)
        m->ast = parse_module(ms->options->trees, ms->in, ms->src, ms->diags);
    else if (parser_check_text(ms->src, span, ms->diags))
        m->ast = parse_lines(ms->options->trees, ms->in, ms->src, span, ms->diags);
    else
        m->ast = arena_new(ms->options->trees, AstModule);
}

static void finish(Modules *ms, Module *m, uint32_t file)
{
    module_collect(ms, m);
    m->busy = false;
    ms->src->parts[file].order = ms->order.len;
    avec_push(ms->arena, &ms->order, m);
}

static Module *new_module(Modules *ms, const char *path, const char *dir, Sym label, bool package)
{
    Module *m = arena_new(ms->arena, Module);
    m->path = path;
    m->dir = dir;
    m->label = label;
    m->package = package;
    m->number = ms->modules.len;
    avec_push(ms->arena, &ms->modules, m);
    return m;
}

static Module *known(const Modules *ms, const char *path)
{
    for (uint32_t i = 1; i < ms->modules.len; i++)
        if (strcmp(ms->modules.at[i]->path, path) == 0)
            return ms->modules.at[i];
    return strcmp(path, ms->src->name) == 0 ? ms->modules.at[0] : NULL;
}

static Module *load(Modules *ms, const char *path, const char *dir, Sym label, bool package,
                    Span span)
{
    const char *why;
    Module *m = known(ms, path);
    if (m && m->busy)
        diag_error(ms->diags, span, "name",
                   "%s is being read: files must not import each other in a circle", path);
    if (m)
        return m->busy ? NULL : m;
    if (ms->modules.len >= MODULES_MAX) {
        diag_error(ms->diags, span, "name", "more than %d files are imported", MODULES_MAX - 1);
        return NULL;
    }
    const Source *text = source_load(ms->arena, path, &why);
    uint32_t begin = text ? source_append(ms->arena, ms->src, path, text->text, text->len) : 0;
    if (!begin) {
        diag_error(ms->diags, span, "name", "%s",
                   text ? "the imported files are too large together" : why);
        return NULL;
    }
    m = new_module(ms, path, dir, label, package);
    m->busy = true;
    uint32_t file = ms->src->n_parts - 1;
    parse(ms, m, (Span){begin, ms->src->len}, strcmp(path + strlen(path) - 3, ".py") == 0);
    finish(ms, m, file);
    return m;
}

/* ---- looking for it */

/* A folder, of which only the files are known. */
static Module *folder(Modules *ms, const char *path, const char *dir, Sym label)
{
    Module *m = known(ms, path);
    return m ? m : new_module(ms, path, dir, label, true);
}

/* The file of the module NAME ("a/b") in the folder `dir`, or its folder. `found`: there is such a
 * file, whether it can be read or not. */
static Module *look(Modules *ms, const char *dir, const char *name, Span span, bool *found)
{
    static const char *const ends[] = {".pld", ".py", "/__init__.pld", "/__init__.py"};
    const char *slash = strrchr(name, '/');
    Sym label = intern(ms->in, slash ? slash + 1 : name);
    const char *below = arena_printf(ms->arena, "%s%s/", dir, name);
    const char *beside =
        slash ? arena_printf(ms->arena, "%s%.*s/", dir, (int)(slash - name), name) : dir;
    *found = true;
    for (uint32_t i = 0; i < 4; i++) {
        const char *path = join(ms, dir, name, ends[i]);
        if (*name && is_kind(path, S_IFREG))
            return load(ms, path, i < 2 ? beside : below, label, i >= 2, span);
    }
    const char *path = join(ms, dir, name, "");
    *found = *name && is_kind(path, S_IFDIR);
    return *found ? folder(ms, path, below, label) : NULL;
}

/* The folder that the dots of `from ..x import` mean, below the folder of the program. */
static const char *climb(Modules *ms, const Module *m, Sym dotted, const char **rest, Span span)
{
    const char *dir = m->dir;
    size_t dots = strspn(dotted, ".");
    *rest = dotted + dots;
    for (size_t i = 1; i < dots; i++) {
        size_t n = strlen(dir);
        if (n == 0) {
            diag_error(ms->diags, span, "name",
                       "%s is outside the folder of the program: only files in it are imported",
                       dotted);
            return NULL;
        }
        for (n--; n > 0 && dir[n - 1] != '/';)
            n--;
        dir = arena_strndup(ms->arena, dir, n);
    }
    return dir;
}

/* `from . import k`: of the folder, or of its __init__ file if that is not being read. */
static Module *own_folder(Modules *ms, const char *dir, Span span)
{
    static const char *const ends[] = {".pld", ".py"};
    for (uint32_t i = 0; i < 2; i++) {
        const char *path = join(ms, dir, "__init__", ends[i]);
        const Module *init = known(ms, path);
        if ((init && init->busy) || !is_kind(path, S_IFREG))
            continue;
        return load(ms, path, dir, intern(ms->in, "package"), true, span);
    }
    return folder(ms, join(ms, dir, "", "."), dir, intern(ms->in, "package"));
}

Module *module_find(Modules *ms, const Module *m, Sym dotted, Span span, bool *reported)
{
    uint32_t errors = ms->diags->n_errors;
    const char *name = dotted, *dir = m->dir;
    Module *to = NULL;
    bool found = false;
    if (!ms->options->folder) {
        if (*dotted == '.')
            diag_error(ms->diags, span, "name",
                       "this text is no file, so that there is no folder to import %s from",
                       dotted);
    } else if (*dotted == '.') {
        dir = climb(ms, m, dotted, &name, span);
        to = !dir    ? NULL
             : *name ? look(ms, dir, as_path(ms, name), span, &found)
                     : own_folder(ms, dir, span);
        if (dir && !to && ms->diags->n_errors == errors)
            diag_error(ms->diags, span, "name", "there is no %s.pld and no %s.py",
                       join(ms, dir, as_path(ms, name), ""), join(ms, dir, as_path(ms, name), ""));
    } else {
        to = look(ms, dir, as_path(ms, name), span, &found);
        if (!found && *dir)
            to = look(ms, "", as_path(ms, name), span, &found);
    }
    *reported = ms->diags->n_errors > errors;
    return to;
}

Module *module_inside(Modules *ms, const Module *package, Sym name, Span span)
{
    bool found;
    return package->package ? look(ms, package->dir, name, span, &found) : NULL;
}

static bool script_names(void *env, const Ast *import, SymList *names)
{
    const Reader *r = env;
    return module_offers(r->ms, r->m, import, names);
}

static bool script_has(void *env, const Ast *import, Sym member)
{
    const Reader *r = env;
    return module_has(r->ms, r->m, import, member);
}

AstModule *modules_read(Arena *arena, Interner *in, Source *src, const ModulesOptions *options,
                        Diags *diags)
{
    Modules ms = {.arena = arena, .in = in, .src = src, .diags = diags, .options = options};
    Module *m = new_module(&ms, src->name, "", intern(in, "main"), false);
    m->busy = true;
    parse(&ms, m, (Span){0, src->len}, options->script);
    finish(&ms, m, 0);
    AstModule *flat = ms.modules.len > 1 ? module_flatten(&ms) : m->ast;
    if (options->script && !diags_failed(diags) && !flat->kernels)
        diag_error(diags, (Span){0, 1}, "name",
                   "no kernel in this script: it has no function or class with a decorator of pl");
    for (uint32_t i = 0; i < ms.modules.len; i++)
        map_free(&ms.modules.at[i]->index);
    return flat;
}
