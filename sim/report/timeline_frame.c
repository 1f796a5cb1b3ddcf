/* What stands around the bars of a timeline. Colours are told apart by people who do not see red
 * and green alike: the kinds differ in lightness too, and waiting is hatched. */
#include "sim/report/timeline.h"

#include "base/json.h"

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;"
    "fill:#1f2933}\n"
    ".t{font-size:18px;font-weight:600}.s{fill:#52606d}.in{font-size:10px;fill:#fff;"
    "text-anchor:middle;pointer-events:none}.ph{font-size:9.5px;fill:#3e4c59;pointer-events:none}\n"
    ".grid{stroke:#e4e7eb;stroke-width:1}.axis{stroke:#7b8794;stroke-width:1}\n"
    ".compute{fill:#2f6db3}.memory{fill:#5fb3b3}.remote{fill:#ef8a17}.notify{fill:#3d8b37}"
    ".wait{fill:#b83b5e}.start{fill:#c8ced6}\n"
    ".idle{fill:url(#hatch);stroke:#d98ba3;stroke-width:.6}.stuck{fill:url(#hatch);stroke:#b00020;"
    "stroke-width:1.6}\n"
    ".state{fill:#b00020;font-weight:600;text-anchor:end}.lane{fill:#f5f7fa}.call{fill:#dfe6f0}."
    "call1{fill:#cbd5e6}\n"
    ".an{stroke:#3d8b37;fill:none;marker-end:url(#hn)}.ad{stroke:#d9730d;fill:none;"
    "marker-end:url(#hd)}\n"
    ".bars rect:hover{stroke:#111;stroke-width:1.2}path:hover{stroke-width:3;opacity:1}\n";

static const char defs[] =
    "<defs>\n"
    "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fbe9ee\"/>"
    "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#e3a3b5\" stroke-width=\"2\"/></pattern>\n"
    "<marker id=\"hn\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#3d8b37\"/></marker>\n"
    "<marker id=\"hd\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#d9730d\"/></marker>\n"
    "</defs>\n";

double timeline_height(const Timeline *t)
{
    return t->top + t->n_lanes * (t->lane + t->band + t->gap) + 44;
}

static void title(Timeline *t)
{
    Buf name = {0};
    xml_escape(&name, world_string(t->w, t->w->program->program_name));
    buf_printf(t->out, "<text class=\"t\" x=\"16\" y=\"28\">%s</text>\n", name.at ? name.at : "");
    buf_printf(t->out, "<text class=\"s\" x=\"16\" y=\"48\">%s, %u device%s, modelled time ",
               t->w->platform.name, t->w->n_ranks, t->w->n_ranks == 1 ? "" : "s");
    int64_t hundredths = (t->r->end_ps + 5000) / 10000;
    buf_printf(t->out, "%lld.%02lld \xc2\xb5s%s</text>\n", (long long)(hundredths / 100),
               (long long)(hundredths % 100), t->r->finished ? "" : "; the run did not finish");
    buf_free(&name);
}

/* A box and its word; returns where the next one goes. */
static double legend_box(Timeline *t, double x, const char *class, const char *word, int letters)
{
    buf_printf(t->out,
               "<rect class=\"%s\" x=\"%.1f\" y=\"60\" width=\"16\" height=\"12\" rx=\"2\"/>"
               "<text x=\"%.1f\" y=\"70\">%s</text>\n",
               class, x, x + 22, word);
    return x + 38 + 6.6 * letters;
}

static double legend_arrow(Timeline *t, double x, const char *class, const char *word, int letters)
{
    buf_printf(t->out,
               "<path class=\"%s\" d=\"M%.1f,66 L%.1f,66\" stroke-width=\"1.6\"/>"
               "<text x=\"%.1f\" y=\"70\">%s</text>\n",
               class, x, x + 26, x + 32, word);
    return x + 48 + 6.6 * letters;
}

static void legend(Timeline *t)
{
    double x = 16;
    x = legend_box(t, x, "compute", "compute", 7);
    x = legend_box(t, x, "memory", "device memory", 13);
    x = legend_box(t, x, "remote", "remote data", 11);
    x = legend_box(t, x, "notify", "notify", 6);
    x = legend_box(t, x, "wait", "wait", 4);
    x = legend_box(t, x, "idle", "waiting", 7);
    x = legend_box(t, x, "start", "start of a dispatch", 19);
    x = legend_arrow(t, x, "an", "notify to wait", 14);
    (void)legend_arrow(t, x, "ad", "data", 4);
}

void timeline_head(Timeline *t, double height)
{
    double width = t->left + t->width + 24;
    buf_printf(t->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\">\n<style>\n%s</style>\n%s"
               "<rect x=\"0\" y=\"0\" width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
               width, height, width, height, style, defs, width, height);
    title(t);
    legend(t);
}

/* 1, 2 or 5 times a power of ten, so that about a dozen ticks fit. */
static int64_t tick_step(int64_t span)
{
    int64_t step = 1;
    static const int next[] = {2, 5, 10};
    for (int64_t power = 1; power < INT64_MAX / 100; power *= 10) {
        step = power;
        for (int i = 0; i < 3 && span / step > 12; i++)
            step = power * next[i];
        if (span / step <= 12)
            break;
    }
    return step;
}

typedef struct {
    const char *name;
    int64_t ps;
} Unit;

static Unit unit_of(int64_t span)
{
    if (span >= INT64_C(2000000000))
        return (Unit){"ms", INT64_C(1000000000)};
    if (span >= 2000000)
        return (Unit){"\xc2\xb5s", 1000000};
    return (Unit){"ns", 1000};
}

void timeline_axis(Timeline *t)
{
    int64_t step = tick_step(t->span);
    Unit unit = unit_of(t->span);
    double bottom = timeline_height(t) - 40;
    for (int64_t at = 0; at <= t->span; at += step) {
        double x = timeline_x(t, at);
        Buf number = {0};
        buf_double(&number, (double)at / (double)unit.ps);
        if (number.len > 2 && number.at[number.len - 1] == '0' && number.at[number.len - 2] == '.')
            number.at[number.len -= 2] = '\0';
        buf_printf(t->out,
                   "<line class=\"grid\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\"/>"
                   "<text class=\"s\" x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                   x, t->top - 4, x, bottom, x, bottom + 16, number.at);
        buf_free(&number);
    }
    buf_printf(t->out,
               "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
               "<text class=\"s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">time in %s</text>\n",
               t->left, bottom, t->left + t->width, bottom, t->left + t->width, bottom + 32,
               unit.name);
}

void timeline_lanes(Timeline *t)
{
    bool small = t->lane < 14;
    for (uint32_t i = 0; i < t->w->n_ranks; i++)
        for (uint32_t k = 0; k < t->w->ranks[i].n_lanes; k++) {
            double y = timeline_y(t, i, k);
            buf_printf(t->out,
                       "<rect class=\"lane\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/><text x=\"16\" y=\"%.1f\"%s>rank %u",
                       t->left, y, t->width, t->lane, y + t->lane / 2 + 4,
                       small ? " style=\"font-size:9px\"" : "", i);
            if (t->w->ranks[i].n_lanes > 1)
                buf_printf(t->out, ", core %u", k);
            else if (t->w->ranks[i].device != i)
                buf_printf(t->out, " (device %u)", t->w->ranks[i].device);
            buf_str(t->out, "</text>\n");
        }
}

/* ---- the page ---- */

static const char page[] =
    "<style>html,body{margin:0;height:100%;overflow:hidden;background:#fff;"
    "font:13px system-ui,sans-serif;color:#52606d}\n"
    "#v{position:absolute;inset:0 0 26px 0;cursor:grab;touch-action:none}#v:active{cursor:grabbing}"
    "#v svg{width:100%;height:100%;display:block}\n"
    "#h{position:absolute;left:16px;bottom:5px}</style>\n</head>\n<body>\n<div id=\"v\">\n";

static const char script[] =
    "</div>\n<div id=\"h\">wheel: zoom &#183; drag: move &#183; double click or 0: all "
    "&#183; rest on a bar or an arrow: what it is and its source line</div>\n<script>\n"
    "const s=document.querySelector('#v svg');s.removeAttribute('width');"
    "s.removeAttribute('height');\n"
    "s.setAttribute('preserveAspectRatio','xMinYMin meet');\n"
    "const all=s.getAttribute('viewBox').split(' ').map(Number);let b=all.slice();\n"
    "const put=()=>s.setAttribute('viewBox',b.join(' '));\n"
    "const scale=()=>1/s.getScreenCTM().a;\n"
    "const at=e=>new DOMPoint(e.clientX,e.clientY).matrixTransform("
    "s.getScreenCTM().inverse());\n"
    "s.addEventListener('wheel',e=>{e.preventDefault();const p=at(e);"
    "let f=Math.exp(e.deltaY*0.0015);\n"
    "f=Math.min(f,all[2]*2/b[2]);f=Math.max(f,1e-3*all[2]/b[2]);\n"
    "b=[p.x-(p.x-b[0])*f,p.y-(p.y-b[1])*f,b[2]*f,b[3]*f];put();},{passive:false});\n"
    "let d=null;s.addEventListener('pointerdown',e=>{d=[e.clientX,e.clientY];"
    "s.setPointerCapture(e.pointerId);});\n"
    "s.addEventListener('pointermove',e=>{if(!d)return;const k=scale();"
    "b[0]-=(e.clientX-d[0])*k;b[1]-=(e.clientY-d[1])*k;d=[e.clientX,e.clientY];put();});\n"
    "s.addEventListener('pointerup',()=>d=null);\n"
    "const home=()=>{b=all.slice();put();};s.addEventListener('dblclick',home);\n"
    "addEventListener('keydown',e=>{if(e.key==='0')home();});\n"
    "</script>\n</body>\n</html>\n";

void timeline_page_begin(const World *w, Buf *out)
{
    buf_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>");
    xml_escape(out, world_string(w, w->program->program_name));
    buf_str(out, "</title>\n");
    buf_str(out, page);
}

void timeline_page_end(Buf *out)
{
    buf_str(out, script);
}
