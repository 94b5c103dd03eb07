#include "report/text/html_style.h"

#include "report/text/svg_text.h"

namespace heddle {

namespace {

constexpr const char* kSharedRules = R"(body{margin:0;background:#f6f8fa;color:#1f2328;
font:16px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans','Liberation Sans',sans-serif}
main{max-width:84rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.6rem;margin:0 0 .3rem}
h2{font-size:1.35rem;margin:2.5rem 0 .5rem;overflow-wrap:anywhere}
h3{font-size:1.15rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
h4{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0;overflow-wrap:anywhere}
a{color:#0a5ca8}
code,pre,td.value{font-family:'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;
font-size:.85rem}
article{background:#ffffff;border:1px solid #d0d7de;border-radius:8px;padding:.2rem 1.2rem 1rem;
margin:1rem 0}
article.suppressed{border-style:dashed}
figure{margin:.5rem 0;overflow-x:auto}
figure svg{display:block}
table{border-collapse:collapse;margin:.5rem 0;max-width:100%;display:block;overflow-x:auto}
th,td{border:1px solid #d0d7de;padding:.25rem .6rem;text-align:left;vertical-align:top}
th{background:#eef1f4;font-weight:600}
tr.observed td{font-weight:bold}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{font-weight:600}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
pre{background:#f6f8fa;border:1px solid #d0d7de;border-radius:6px;padding:.7rem;overflow-x:auto;
user-select:all;-webkit-user-select:all}
summary{cursor:pointer;font-weight:600;margin:.6rem 0}
.violated,.broken,.trouble{color:#b3261e}
.satisfied{color:#1a6b2f}
.unknown,.warning,.note{color:#6b5900}
ul.legend{list-style:none;padding:0;margin:.3rem 0;font-size:.95rem}
@media print{main{max-width:none}article{break-inside:avoid}details{display:block}}
)";

constexpr const char* kDarkRules = R"(body{background:#0d1117;color:#e6edf3}
a{color:#79b8ff}
article{background:#161b22;border-color:#3d444d}
th,td{border-color:#3d444d}
th{background:#262c36}
pre{background:#0d1117;border-color:#3d444d}
.violated,.broken,.trouble{color:#ff8f85}
.satisfied{color:#6fdd8b}
.unknown,.warning,.note{color:#d9c25c}
)";

}  // namespace

std::string html_style() {
  return std::string(kSharedRules) + svg_style() + "@media (prefers-color-scheme:dark){\n" +
         kDarkRules + svg_dark_style() + "}\n";
}

}  // namespace heddle
