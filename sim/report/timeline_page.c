/* The page around a timeline: zoom and move, without a script from elsewhere. */
#include "sim/report/timeline.h"

#include "base/json.h"

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
