export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A complete page, with its own style in addition to that of all pages. It loads nothing from other sites. */
export function layout(title: string, content: string, style: string): string {
  return htmlDocument(title, `<style>${BASE_STYLE}${style}</style>`, `<main>\n${content}\n</main>`);
}

/** An HTML document. The title is text, the rest is HTML. */
export function htmlDocument(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** What all pages share: the colours, in light and dark mode, and the text. */
export const BASE_STYLE = `
:root { --ink: #1c2330; --soft: #545f70; --paper: #fbfaf7; --card: #fff; --line: #e2ded5; --edge: #8a8478; --accent: #0b6b53; --warm: #9a4a06; --blue: #1d5c96; --purple: #6a479c; --red: #ab2a20; --code: #f3f0e9; --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e6df; --soft: #a9b0ba; --paper: #14181d; --card: #1b2127; --line: #2e363f; --edge: #66727f; --accent: #6fd3b4; --warm: #f0a860; --blue: #8fbdf0; --purple: #c8a9ef; --red: #f39c92; --code: #10141a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { font-size: 2.1rem; line-height: 1.15; margin: 0 0 .6rem; letter-spacing: -.02em; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .8rem; }
p { margin: 0 0 .8rem; max-width: 44rem; }
.lead { font-size: 1.1rem; color: var(--soft); }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 99px; color: var(--soft); font: 600 .75rem/1.5 system-ui, sans-serif; white-space: nowrap; }
.badge.deprecated { color: var(--warm); }
.badge.experimental { border-style: dashed; }
a { color: var(--accent); text-underline-offset: .2em; }
:is(a, button, input, select, summary, textarea, [tabindex="0"]):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code { font: .92em var(--mono); overflow-wrap: break-word; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem; overflow-x: auto; font: .875rem/1.5 var(--mono); }
@media (max-width: 44rem) {
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
`;
