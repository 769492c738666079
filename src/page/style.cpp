#include "page/style.h"

namespace gass::page {

// Colours of methods carry letters in white, or nearly black in the dark scheme, with a contrast above 4.5.
const std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--back:#fafaf9;--card:#fff;--ink:#1c1c1e;--muted:#5f5f67;--rule:#e1e1de;--bad:#a81f30;
--on:#fff;--m0:#5b6472;--m1:#1f60aa;--m2:#ad490c;--m3:#187549;--m4:#7a45a8;--m5:#b3273d;--m6:#0b6c7e;--m7:#75561c}
@media(prefers-color-scheme:dark){:root{--back:#131315;--card:#1b1b1e;--ink:#ececee;--muted:#a2a2ab;--rule:#333338;
--bad:#ff8f9c;--on:#131315;--m0:#a6b0c0;--m1:#7db4f0;--m2:#f0a060;--m3:#5fc898;--m4:#c39af0;--m5:#f58b98;--m6:#5cc4d6;
--m7:#d4b06a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0 auto;max-width:76rem;padding:2.5rem 1.5rem 3rem;background:var(--back);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,p,dl,dd,figure{margin:0}
h1,h2{text-wrap:balance}p,dd{text-wrap:pretty}
h1{font-size:clamp(1.5rem,1.1rem + 1.6vw,2.1rem);line-height:1.2;letter-spacing:-.015em}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .9rem}
h3{font-size:1.05rem;line-height:1.35}
a{color:inherit;text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline;text-underline-offset:.2em}
:focus-visible{outline:2px solid var(--m1);outline-offset:2px}
header p{margin-top:.5rem}
header p,.note,.numbers,footer,summary,figcaption,td small{color:var(--muted)}
.note,.numbers,footer,summary,dl,.whole{font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.letter{flex:none;display:inline-block;min-width:1.5em;padding:0 .35em;border-radius:.75em;background:var(--own);
color:var(--on);font-size:.8rem;font-weight:700;line-height:1.5em;text-align:center}
.m0{--own:var(--m0)}.m1{--own:var(--m1)}.m2{--own:var(--m2)}.m3{--own:var(--m3)}
.m4{--own:var(--m4)}.m5{--own:var(--m5)}.m6{--own:var(--m6)}.m7{--own:var(--m7)}
.scroll{position:relative;overflow-x:auto;border:1px solid var(--rule);border-radius:.6rem;background:var(--card)}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.95rem}
th,td{padding:.55rem .75rem;text-align:right;vertical-align:baseline;white-space:nowrap}
thead th{font-size:.8rem;font-weight:600;color:var(--muted)}
tbody tr{border-top:1px solid var(--rule)}
tr>:first-child{position:sticky;left:0;background:var(--card);text-align:left;white-space:normal}
tbody th{min-width:11rem;max-width:18rem;font-weight:600}
.method{display:flex;gap:.6rem;align-items:baseline}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin-top:1.1rem;font-size:.875rem}
nav a{color:var(--muted);text-decoration:underline;text-decoration-color:var(--rule);text-underline-offset:.25em}
ul{margin:.4rem 0 0;padding-left:1.2rem}
ul.note{max-width:52rem}
li+li{margin-top:.25rem}
h3{margin:1.6rem 0 .6rem}
article h3{margin:0}
.report strong{font-weight:700}
.report .block{text-align:center;color:var(--ink);
background:linear-gradient(var(--muted),var(--muted)) bottom/calc(100% - 1.5rem) 1px no-repeat}
.report .after-rule{border-top:2px solid var(--muted)}
.report .sign{display:inline-block;width:.85rem;font-size:.65rem;text-align:right}
.signed small{margin-right:.85rem}
.signed thead th:not(:first-child):not(.block){padding-right:1.6rem}
.report .aside,.report .printed{color:var(--muted)}
.texts td{text-align:left;white-space:normal;min-width:6rem}
th small{margin-left:1.8rem}
td small,th small{display:block;margin-top:.1rem;font-size:.75rem;font-weight:400}
.best{border:1px solid currentColor;border-radius:.4rem;padding:.05rem .35rem;margin-right:calc(-.35rem - 1px)}
.failed,.error strong{color:var(--bad)}
.table-note,.note+.note{margin-top:.6rem}
.split{display:grid;grid-template-columns:minmax(0,28rem) minmax(0,1fr);gap:1.5rem 3rem;align-items:center}
dt{font-weight:600}
dd{margin-bottom:.7rem;color:var(--muted);max-width:34rem}
.panel,article{border:1px solid var(--rule);border-radius:.6rem;background:var(--card)}
.panel{padding:.9rem;max-width:28rem}
article{padding:1.1rem 1.25rem;margin-top:1rem;scroll-margin-top:1rem}
p+.numbers{margin-top:.3rem}
article .numbers{margin:.25rem 0 .9rem}
.pair{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:1.5rem;align-items:start}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(9.5rem,22%),1fr));gap:.7rem}
.pictures img{display:block;width:100%;height:auto;border-radius:.3rem;background:var(--rule)}
.pictures.sheets{grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1.2rem;margin-top:.8rem}
.sheets figcaption{text-align:left;font-size:.8rem}
.pictures.large{grid-template-columns:repeat(auto-fill,minmax(min(14rem,45%),1fr));gap:1.1rem .9rem;margin-top:1.4rem}
.large figcaption{font-size:.8rem;max-height:9em;overflow:auto}.large a{text-decoration:underline;text-decoration-color:var(--rule);text-underline-offset:.25em}
.pictures [role=button]{cursor:zoom-in}
pre{margin:0;padding:.8rem 1rem;border:1px solid var(--rule);border-radius:.6rem;background:var(--card);max-height:24rem;overflow:auto}
.flag{white-space:nowrap}
.copy{margin-top:.5rem;padding:.35rem .9rem;border:1px solid var(--rule);border-radius:.45rem;background:var(--card);color:var(--ink);
font:inherit;font-size:.875rem;cursor:pointer}
.copy:hover{border-color:var(--muted)}
figcaption{margin-top:.2rem;font-size:.75rem;text-align:center;font-variant-numeric:tabular-nums}
.error{margin-top:.5rem;padding-left:.8rem;border-left:3px solid var(--bad)}
details{margin-top:.8rem}
summary{cursor:pointer;width:fit-content}
code,pre{white-space:pre-wrap;font:.8rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
details>*+*{display:block;margin-top:.4rem}
details+.scroll{margin-top:.9rem}
.whole{max-height:24rem;overflow:auto}
.plot{display:block;width:100%;height:auto;font:11px "DejaVu Sans",Verdana,Helvetica,Arial,sans-serif}
.plot text{fill:var(--muted);paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}
.plot .end{text-anchor:end}.plot .middle,.plot .letter{text-anchor:middle}
.plot .ground{fill:none;stroke:var(--rule)}.plot .grid{stroke:var(--rule)}
.plot circle{fill:var(--own)}.plot .mark{stroke:var(--card);stroke-width:1.5}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,27rem),1fr));gap:1rem}
.plots .panel{max-width:none}
.plot .ring{fill:none;stroke:var(--ink);stroke-width:1.5}.plot .front{stroke:var(--muted);stroke-dasharray:4 3}
.plot .whisker{stroke:var(--own);opacity:.7}
.plot .faint{opacity:.6}.plot .ray{stroke:var(--own);opacity:.35}.plot .leader{stroke:var(--muted)}
.plot .hull{fill:var(--own);fill-opacity:.1;stroke:var(--own);stroke-opacity:.35;stroke-linejoin:round}
.plot text.letter{fill:var(--on);stroke:none;font-weight:700;pointer-events:none}.plot text.name{fill:var(--ink)}
dialog{max-width:96vw;max-height:96vh;border:0;border-radius:.6rem;padding:.8rem;background:var(--card);
color:var(--ink);text-align:center;cursor:zoom-out}
dialog::backdrop{background:rgb(0 0 0/.75)}
dialog img{display:block;min-width:min(88vw,80vh,48rem);min-height:min(80vh,88vw,48rem);max-width:92vw;max-height:84vh;
object-fit:contain}
dialog p{margin-top:.5rem;font-size:.875rem}
footer{margin-top:3rem}
@media(max-width:60rem){.split,.pair{grid-template-columns:minmax(0,1fr)}.sphere{max-width:22rem}}
@media(max-width:40rem){body{padding:1.5rem 1rem 2rem}.panel{padding:.7rem .6rem}article{padding:.9rem}
.report .block{text-align:left}.pictures{gap:.4rem}th,td{padding:.5rem .6rem}tbody th{min-width:9.75rem;font-size:.8125rem}h2{margin-top:2.2rem}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{body{max-width:none;padding:0;background:#fff}.scroll{overflow:visible}th,td{padding:.25rem .3rem}
table{font-size:.72rem}thead th{font-size:.65rem}td small,th small{font-size:.6rem;white-space:normal}
tbody th{min-width:0}.best{margin-right:0}
.report th,.report td{padding:.2rem .15rem}.report{font-size:.62rem}.report thead th,.report small{font-size:.55rem}
.report .sign{width:.5rem;font-size:.45rem}.signed small{margin-right:.5rem}.report .letter{font-size:.6rem}
.signed thead th:not(:first-child):not(.block){padding-right:.65rem}.report .method{gap:.25rem}.report small{margin-left:0}
.split{grid-template-columns:1fr 1fr;gap:1.5rem}.pair{grid-template-columns:minmax(0,1fr) 15rem}
article,figure,.panel,tr{break-inside:avoid}h2,h3{break-after:avoid}
.letter{print-color-adjust:exact;-webkit-print-color-adjust:exact}
details::details-content{content-visibility:visible;display:block}}
)";

const std::string_view kPageScript = R"(
(() => {
  const groups = [...document.querySelectorAll('.pictures')].map(group => [...group.querySelectorAll('img')]);
  const box = document.createElement('dialog'), big = new Image(), text = document.createElement('p');
  box.append(big, text);
  document.body.append(box);
  let row = 0, column = 0;
  const show = (r, c) => {
    row = (r + groups.length) % groups.length;
    column = (Math.min(c, groups[row].length) + groups[row].length) % groups[row].length;
    const small = groups[row][column];
    big.src = small.src;
    big.alt = text.textContent = small.alt;
    if (!box.open) box.showModal();
  };
  groups.forEach((group, r) => group.forEach((small, c) => {
    small.tabIndex = 0;
    small.setAttribute('role', 'button');
    small.onclick = () => show(r, c);
    small.onkeydown = event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); show(r, c); }
    };
  }));
  // Without the right to write to the clipboard the text is selected, ready for the keys.
  document.querySelectorAll('.copy').forEach(button => button.onclick = async () => {
    const text = button.previousElementSibling;
    getSelection().selectAllChildren(text);
    const copied = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
    button.textContent = copied ? 'Copied' : 'Selected: press Ctrl+C';
  });
  box.onclick = () => box.close();
  box.onkeydown = event => {
    const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
    if (step) { event.preventDefault(); show(row + step[0], column + step[1]); }
  };
})();
)";

const std::string_view kPageScriptHash = "udStf76+o6N9X81cB0MuvcuakRpnd66Vrt91N5FyMX0=";

}  // namespace gass::page
