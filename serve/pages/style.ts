/** The style sheet as text, since the compiler copies no assets. */

export const PAGE_STYLE = `:root {
  color-scheme: light dark;
  --page: #f3f5f4;
  --card: #ffffff;
  --text: #17211d;
  --quiet: #55635d;
  --line: #d5dcd8;
  --field: #84938c;
  --accent: #0f6b4f;
  --accent-strong: #0a5440;
  --on-accent: #ffffff;
  --soft: #eef4f1;
  --problem: #9b1c1c;
  --problem-soft: #fdf0ef;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101513;
    --card: #18201d;
    --text: #e7edea;
    --quiet: #a2b1aa;
    --line: #2f3a35;
    --field: #6d7d75;
    --accent: #5cc9a2;
    --accent-strong: #83dcbc;
    --on-accent: #07231a;
    --soft: #1f2a26;
    --problem: #ffb4ab;
    --problem-soft: #3a1f1d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  align-items: center;
  padding: clamp(1rem, 7vh, 5rem) 1rem 2rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
header, main { width: 100%; max-width: 27rem; }
header { margin-bottom: 1rem; }
.brand { display: inline-flex; align-items: center; gap: .6rem; font-weight: 650; letter-spacing: -.01em; }
.mark { width: 1.75rem; height: 1.75rem; }
.mark rect { fill: var(--accent); }
.mark path { fill: none; stroke: var(--on-accent); stroke-width: 2; stroke-linecap: round; }
main {
  padding: clamp(1.25rem, 5vw, 2.25rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 14px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px -16px rgb(0 0 0 / .18);
}
h1 { margin: 0 0 .25rem; font-size: 1.4rem; line-height: 1.3; font-weight: 600; letter-spacing: -.015em; text-wrap: balance; overflow-wrap: anywhere; }
h1 strong { font-weight: 700; }
h3 { margin: 0; font-size: 1rem; font-weight: 650; overflow-wrap: anywhere; }
h2, legend { margin: 0; padding: 0; font-size: .875rem; font-weight: 600; color: var(--quiet); }
p { margin: 0; overflow-wrap: anywhere; }
.lead { color: var(--quiet); }
.lead strong { color: var(--text); }
.note { margin-top: 1.25rem; font-size: .875rem; color: var(--quiet); }
time { white-space: nowrap; }
time.moment { white-space: normal; }
form { margin-top: 1.25rem; }
label[for] { display: block; margin: 1rem 0 .35rem; font-size: .875rem; font-weight: 600; }
input[type=email], input[type=password] {
  width: 100%;
  padding: .65rem .75rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--field);
  border-radius: 8px;
}
button {
  min-height: 2.75rem;
  padding: .6rem 1.25rem;
  font: inherit;
  font-weight: 600;
  color: var(--text);
  background: transparent;
  border: 1px solid var(--field);
  border-radius: 8px;
  cursor: pointer;
}
button:hover { background: var(--soft); }
button.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
button.primary:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
form > button.primary { width: 100%; margin-top: 1.5rem; }
a, button.link { color: var(--accent); text-decoration: underline; text-underline-offset: .15em; }
button.link { min-height: 0; padding: .15rem 0; border: 0; font-weight: 400; font-size: inherit; }
button.link:hover, a:hover { background: none; color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.account { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; margin-top: .5rem; font-size: .875rem; color: var(--quiet); }
.account span { overflow-wrap: anywhere; }
.account strong { font-weight: 600; color: var(--text); }
section, fieldset { margin: 1.25rem 0 0; }
section + section { margin-top: 1.75rem; }
fieldset { padding: 0; border: 0; min-width: 0; }
.permissions { margin: .4rem 0 0; padding: 0; list-style: none; }
.permissions li { position: relative; padding: .2rem 0 .2rem 1.6rem; }
.permissions li::before { content: ""; position: absolute; left: .2rem; top: .62em; width: .75rem; height: .4rem; border: solid var(--accent); border-width: 0 0 2px 2px; transform: rotate(-45deg); }
.choose { float: right; margin-top: -1.45rem; font-size: .875rem; }
.choose a { margin-left: .75rem; }
.companies { margin: .4rem 0 0; padding: 0; list-style: none; max-height: 18.9rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 8px; }
.companies li + li { border-top: 1px solid var(--line); }
.companies label { display: flex; align-items: center; gap: .75rem; padding: .65rem .75rem; cursor: pointer; }
.companies label:hover { background: var(--soft); }
.companies span { overflow-wrap: anywhere; }
input[type=checkbox] { flex: none; width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
.companies input:focus-visible { outline-offset: 1px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem; }
.actions button { flex: 1; }
.done { margin-top: 1rem; padding: .65rem .85rem; font-size: .9375rem; background: var(--soft); border: 1px solid var(--line); border-radius: 8px; }
.none { margin-top: .4rem; color: var(--quiet); }
.applications, .grants { margin: .6rem 0 0; padding: 0; list-style: none; }
.applications > li { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 10px; }
.applications > li + li { margin-top: .75rem; }
.grants > li + li { margin-top: .85rem; padding-top: .85rem; border-top: 1px solid var(--line); }
.grants dl { margin-top: .6rem; padding-top: 0; border-top: 0; }
.grants + details { padding-top: .85rem; border-top: 1px solid var(--line); }
details { margin-top: .85rem; font-size: .875rem; }
summary { width: fit-content; padding: .15rem 0; color: var(--accent); text-decoration: underline; text-underline-offset: .15em; cursor: pointer; }
summary::marker { color: var(--quiet); }
summary:hover { color: var(--accent-strong); }
details form { margin-top: .6rem; }
details form button { margin-top: .75rem; }
button.danger { color: var(--problem); border-color: currentColor; }
button.danger:hover { background: var(--problem-soft); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.problem { margin-top: 1rem; padding: .65rem .85rem; font-size: .9375rem; color: var(--problem); background: var(--problem-soft); border: 1px solid currentColor; border-radius: 8px; }
code { font: .8125rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (forced-colors: active) { .mark path { stroke: Canvas; } }
`
