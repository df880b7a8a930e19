"""How the report of an audit looks: dark and light, on a screen and on paper."""

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --dim: #5c6370; --line: #d5d9df;
  --soft: #f4f5f7; --good: #1a6b34; --bad: #b01c1c; --unsure: #7a5200; }
@media (prefers-color-scheme: dark) {
  :root { --back: #15171a; --text: #e4e6e9; --dim: #a0a6b0; --line: #383d45; --soft: #1f2227;
    --good: #6fd08c; --bad: #ff8a80; --unsure: #f0c060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; } a { color: inherit; }
code, pre, .data { font-family: ui-monospace, monospace; font-size: .86rem; }
pre { background: var(--soft); border: 1px solid var(--line); padding: .6rem .8rem; margin: .4rem 0;
  white-space: pre-wrap; }
.verdict { border-left: .4rem solid; padding: .6rem 1rem; background: var(--soft); }
.verdict p, .verdict ul { margin: .2rem 0; } .verdict strong { font-size: 1.2rem; }
.proven, .exact { color: var(--good); } .unknown, .missed, .detected { color: var(--unsure); }
.convicted, .wrong, .torn, .stuck, .unreadable { color: var(--bad); font-weight: 700; }
.verdict p, .verdict ul { color: var(--text); font-weight: 400; }
.verdict strong { color: inherit; } .untried { color: var(--dim); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 0; }
dt { color: var(--dim); } dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left;
  vertical-align: top; }
thead th { background: var(--soft); } td.number { text-align: right; }
.matrix td a, .matrix td span { display: inline-block; min-width: 1.2em; text-align: center;
  text-decoration: none; } .matrix a:focus, .matrix a:hover { outline: 2px solid; }
tr:target { background: var(--soft); outline: 2px solid; }
.key { color: var(--dim); padding: 0; list-style: none; display: flex; flex-wrap: wrap;
  gap: .2rem 1.4rem; }
@media print {
  :root { color-scheme: light; --back: #fff; --text: #000; --dim: #444; --line: #999; --soft: #fff;
    --good: #1a6b34; --bad: #b01c1c; --unsure: #7a5200; }
  body { max-width: none; padding: 0; font-size: 10pt; } .wide { overflow: visible; }
  thead { display: table-header-group; } tr, pre, dl { break-inside: avoid; }
  h2, h3 { break-after: avoid; } }
"""
