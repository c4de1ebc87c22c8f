/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A complete page with its own style, which loads nothing from other sites.
 *
 * @param style the style of this page, in addition to that of all pages
 */
export function layout(title: string, content: string, style = ''): string {
  return htmlDocument(title, `<style>${PALETTE}${STYLE}${style}</style>`, `<main>\n${content}\n</main>`);
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

/** The colours of all pages, in light and dark mode. */
export const PALETTE = `
:root { --ink: #1c2330; --soft: #545f70; --paper: #fbfaf7; --card: #fff; --line: #e2ded5; --accent: #0b6b53; --warm: #9a4a06; --code: #f3f0e9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e6df; --soft: #a9b0ba; --paper: #14181d; --card: #1b2127; --line: #2e363f; --accent: #6fd3b4; --warm: #f0a860; --code: #10141a; }
}
`;

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { font-size: 2.1rem; line-height: 1.15; margin: 0 0 .6rem; letter-spacing: -.02em; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .8rem; }
p { margin: 0 0 .8rem; max-width: 44rem; }
.lead { font-size: 1.1rem; color: var(--soft); }
a { color: var(--accent); text-underline-offset: .2em; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .9rem; padding: 0; margin: 1.6rem 0 0; list-style: none; }
.cards a { display: block; height: 100%; padding: 1rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards strong { display: block; color: var(--accent); }
.cards span { color: var(--soft); font-size: .93rem; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem; overflow-x: auto; font: .875rem/1.5 ui-monospace, monospace; }
code { font: .92em ui-monospace, monospace; }
@media (max-width: 44rem) {
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
`;
