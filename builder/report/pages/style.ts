/** The style sheet of all pages of a report: screen in light and dark, narrow screens, and paper. */

/** What text stands on: the page, and what is set off from it. */
export const GROUNDS = { light: ['#ffffff', '#f2f5f3'], dark: ['#101513', '#1a2320'] } as const

export const REPORT_STYLE = `:root {
  color-scheme: light dark;
  --page: ${GROUNDS.light[0]}; --text: #17211d; --quiet: #4d5a54; --line: #cfd7d3; --rule: #17211d; --soft: ${GROUNDS.light[1]};
  --accent: #0f6b4f; --better: #0b6b35; --worse: #a4161a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: ${GROUNDS.dark[0]}; --text: #e7edea; --quiet: #a9b7b0; --line: #36423c; --rule: #c9d4ce; --soft: ${GROUNDS.dark[1]};
    --accent: #6bd0ab; --better: #6fd394; --worse: #ff9d94;
  }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem clamp(.75rem, 3vw, 2.5rem) 2rem; background: var(--page); color: var(--text);
  font: .9375rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .25rem .5rem; background: var(--page); }
header { border-bottom: 1px solid var(--line); padding-bottom: .5rem; margin-bottom: 1.25rem; }
.company { margin: 0 0 .35rem; font-weight: 650; font-size: 1.0625rem; overflow-wrap: anywhere; }
nav ul, .filter ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0; padding: 0; }
nav a, .filter a { display: inline-block; padding: .2rem 0; }
[aria-current] { color: var(--text); font-weight: 650; text-decoration: none; }
.filter { display: inline-block; vertical-align: top; margin: .25rem 1.5rem 0 0; color: var(--quiet); font-size: .875rem; max-width: 100%; }
.filter summary { cursor: pointer; padding: .15rem 0; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 2rem 0 .25rem; font-size: 1.125rem; }
.proof { margin: 0 0 1rem; padding: .5rem .8rem; border-left: 3px solid var(--accent); background: var(--soft); max-width: 60rem; }
.cards { list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem; margin: 0 0 1rem; padding: 0; max-width: 75rem; }
.cards li { min-width: 0; overflow-wrap: anywhere; display: flex; flex-direction: column; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .4rem; font-variant-numeric: tabular-nums; }
.cards .label, .cards .against { color: var(--quiet); font-size: .8125rem; } .cards strong { font-size: 1.375rem; line-height: 1.4; }
.cards .spark { margin-top: .35rem; width: 100%; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: .1rem 0; padding: 0; font-size: .8125rem; color: var(--quiet); }
.legend li::before { content: ''; display: inline-block; width: .8rem; height: .7rem; margin-right: .4rem; background: var(--text); }
.legend .lighter::before { background: var(--quiet); opacity: .55; } .legend .net::before { height: .15rem; vertical-align: .25rem; background: var(--accent); }
.spark { width: 8rem; height: 1.75rem; vertical-align: middle; }
.spark path { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.about, .note { margin: .15rem 0 1rem; color: var(--quiet); }
.wide { overflow-x: auto; margin-bottom: 1.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; min-width: 20rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; font-size: .875rem; }
th, td { padding: .14rem .2rem .14rem 1.1rem; text-align: right; white-space: nowrap; font-weight: 400; vertical-align: bottom; }
tbody th { text-align: left; padding-left: 0; white-space: normal; min-width: 15rem; max-width: 26rem; overflow-wrap: anywhere; position: sticky; left: 0; background: var(--page); }
thead td, thead th { border-bottom: 1px solid var(--rule); padding-bottom: .3rem; font-size: .8125rem; color: var(--quiet); font-weight: 600; }
thead th { white-space: normal; min-width: 3.5rem; max-width: 7.5rem; overflow-wrap: anywhere; }
thead th:first-child { text-align: left; padding-left: 0; }
tbody tr:hover > *, tbody tr:target > * { background: var(--soft); }
.number { color: var(--quiet); font-size: .8125rem; margin-right: .35rem; }
.heading th { font-weight: 600; padding-top: .35rem; }
.heading.d0 th { font-size: 1rem; padding-top: 1rem; }
.subtotal > * { border-top: 1px solid var(--line); font-weight: 600; }
.total > * { border-top: 1px solid var(--rule); font-weight: 700; }
.d0 th { padding-left: 0; } .d1 th { padding-left: 1rem; } .d2 th { padding-left: 2rem; } .d3 th { padding-left: 3rem; }
.d4 th { padding-left: 4rem; } .d5 th { padding-left: 5rem; } .d6 th { padding-left: 6rem; }
.better { color: var(--better); } .worse { color: var(--worse); }
.share { display: none; } body:has(.shares:checked) .share { display: table-cell; }
.partial { position: absolute; }
.mark { display: inline-block; width: 1.1em; font-size: .75em; }
.text td, .text thead th, .lines td, .lines thead th { text-align: left; white-space: normal; max-width: none; overflow-wrap: break-word; }
.text tbody > * > *, .lines td { padding-right: .6rem; vertical-align: top; }
.text th:first-child, .lines th:first-child { padding-left: 0; }
.lines td[data-minor], .lines thead th.amount, .text td.amount, .text thead th.amount { text-align: right; white-space: nowrap; }
.lines td:first-child { padding-left: 0; white-space: nowrap; }
.lines .aside { color: var(--quiet); font-style: italic; }
td a, tbody th a { color: inherit; text-decoration-color: var(--line); text-underline-offset: .2em; }
td a:hover, tbody th a:hover { color: var(--accent); text-decoration-color: currentColor; }
.notes { max-width: 46rem; } .notes h3 { margin: .75rem 0 .1rem; font-size: .9375rem; } .notes p, .notes ul { margin: .1rem 0 .5rem; overflow-wrap: anywhere; }
sup { font-size: .6875rem; line-height: 0; } code { font-size: .8125rem; overflow-wrap: anywhere; }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem .8rem; background: var(--soft); font-size: .875rem; }
figure { margin: 0 0 1.75rem; max-width: 50rem; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
figure details { font-size: .875rem; color: var(--quiet); }
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--quiet); font-size: 12px; }
.chart .value, .chart .name, .chart .before { text-anchor: end; }
.chart .place, .chart .amount { text-anchor: middle; }
.chart .name, .chart .amount { fill: var(--text); }
.chart .amount.after, .chart .name.start { text-anchor: start; }
.chart .amount.before { text-anchor: end; }
.chart .grid { stroke: var(--line); } .chart .zero { stroke: var(--rule); }
.chart .actual { fill: var(--text); } .chart .lighter { fill: var(--quiet); opacity: .55; }
.chart .better { fill: var(--better); } .chart .worse { fill: var(--worse); }
.chart path { fill: none; stroke: var(--accent); stroke-width: 2; } .chart path.line { stroke: var(--text); }
.chart circle.net { fill: var(--accent); }
footer { margin-top: 2rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .8125rem; overflow-wrap: anywhere; }
@media screen and (min-width: 75rem) {
  .charts { display: grid; grid-template-columns: repeat(2, minmax(0, 50rem)); gap: 0 2.5rem; } .charts > h2, .charts > .note { grid-column: 1 / -1; }
}
@media (max-width: 40rem) {
  body { font-size: .875rem; }
  tbody th { min-width: 9rem; }
  .chart .value, .chart .amount { font-size: 16px; } .chart .place { font-size: 13px; }
}
@page { size: landscape; margin: 12mm 10mm; @bottom-right { content: counter(page) " / " counter(pages); font-size: 7pt; } }
@media print {
  :root { --page: #ffffff; --text: #000000; --quiet: #333333; --line: #999999; --rule: #000000; --better: #000000; --worse: #000000; color-scheme: light; }
  html { font-size: 8.5pt; }
  body { padding: 0; font-size: 7.5pt; }
  nav, .filter, .skip, p:has(.shares) { display: none; }
  .wide { overflow: visible; }
  thead { display: table-header-group; }
  tr, figure, li, .proof { break-inside: avoid; }
  h1, h2, h3, caption, .about, .heading { break-after: avoid; }
  figure { margin-bottom: .5rem; } figure details { display: none; }
  .chart .worse { fill: #ffffff; stroke: #000000; } .legend li::before { print-color-adjust: exact; }
  .charts { break-before: page; display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem; } .charts > h2, .charts > .note { grid-column: 1 / -1; }
  th, td { padding: .6pt 2pt .6pt 7pt; }
}
`
