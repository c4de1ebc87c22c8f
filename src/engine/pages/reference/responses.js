import { STREAM_SECONDS } from './try-it-out.js';

/** Shows the documented responses, and the actual one. */
export function responses({ React: { createElement: h, Fragment, useState } }) {
  /** Error responses are folded, because they are similar for all operations. */
  function Foldable({ Original, props }) {
    const [isFolded, setFolded] = useState(true);
    const { className, code } = props;
    const label = isFolded ? 'Show' : 'Hide';
    const name = `${label} body and headers of ${code}`;
    const onClick = () => setFolded(!isFolded);
    const fold = { type: 'button', 'aria-expanded': !isFolded, 'aria-label': name, onClick };
    return h(
      Fragment,
      null,
      h(Original, { ...props, className: isFolded ? `${className} folded` : className }),
      h('tr', { className: 'fold' }, h('td', { colSpan: 2 }, h('button', fold, label))),
    );
  }

  /** JSON with its exact digits, and where a key that is missing is typed. */
  function JsonBody({ content, getComponent }) {
    const isUnknown = /"code"\s*:\s*"UNAUTHENTICATED"/.test(content);
    const toKey = h('a', { href: '#credential' }, 'at the top of this page');
    const box = { className: 'response-body', role: 'group', 'aria-label': 'Response body', tabIndex: 0 };
    const code = { language: 'json', canCopy: true, downloadable: true, fileName: 'response.json' };
    return h(
      'div',
      null,
      h('h5', null, 'Response body'),
      isUnknown && h('p', { className: 'note' }, 'Give a key or token ', toKey, '.'),
      h('div', box, h(getComponent('HighlightCode', true), code, layOut(content))),
    );
  }

  const ofStream = h('p', { className: 'note' }, `The first ${STREAM_SECONDS} seconds of the stream:`);
  return {
    wrapComponents: {
      response: (Original) => (props) =>
        props.code.startsWith('2') ? h(Original, props) : h(Foldable, { Original, props }),
      // A new function each time, so that React calls it after each rendering.
      responses: (Original) => (props) => h('div', { ref: (element) => mendRoles(element) }, h(Original, props)),
      // A schema without a title is too small to fold.
      ModelCollapse: (Original) => (props) => (props.title ? h(Original, props) : props.children),
      responseBody: (Original) => (props) =>
        /json/i.test(props.contentType)
          ? h(JsonBody, props)
          : h(Fragment, null, /event-stream/.test(props.contentType) && ofStream, h(Original, props)),
    },
  };
}

/**
 * Removes three accessibility errors of Swagger UI: a role that hides that a table is a table, labels on boxes instead
 * of only on their buttons, and a choice of examples without a label.
 */
function mendRoles(element) {
  for (const table of element?.querySelectorAll('table[role]') ?? []) table.removeAttribute('role');
  for (const box of element?.querySelectorAll('div.copy-to-clipboard') ?? []) box.removeAttribute('aria-label');
  for (const choice of element?.querySelectorAll('.examples-select-element') ?? [])
    choice.setAttribute('aria-label', 'Example');
}

/**
 * Indents JSON with its exact numbers: an int64 can exceed what a JavaScript number holds exactly. Text that is not
 * JSON stays as it is, and so does all JSON in a browser that would round numbers.
 */
function layOut(text) {
  if (JSON.rawJSON === undefined) return text;
  const keepDigits = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, keepDigits), null, 2);
  } catch {
    return text;
  }
}
