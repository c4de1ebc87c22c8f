/** Shows JSON with its exact numbers: an int64 can exceed what a JavaScript number holds exactly. */
export function createResponseBody({ React: { createElement: h } }) {
  return (Original, { getComponent }) =>
    function ResponseBody(props) {
      if (!/json/i.test(props.contentType)) return h(Original, props);
      const isUnknown = /"code"\s*:\s*"UNAUTHENTICATED"/.test(props.content);
      const code = { language: 'json', canCopy: true, downloadable: true, fileName: 'response.json' };
      return h(
        'div',
        null,
        h('h5', null, 'Response body'),
        isUnknown &&
          h(
            'p',
            { className: 'note' },
            'Give a key or token ',
            h('a', { href: '#credential' }, 'at the top of this page'),
            '.',
          ),
        h(
          'div',
          { className: 'response-body', role: 'group', 'aria-label': 'Response body', tabIndex: 0 },
          h(getComponent('HighlightCode', true), code, layOut(props.content)),
        ),
      );
    };
}

/** Indents JSON. Text that is not JSON stays as it is, and so does all JSON in a browser that would round numbers. */
function layOut(text) {
  if (JSON.rawJSON === undefined) return text;
  const keepDigits = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, keepDigits), null, 2);
  } catch {
    return text;
  }
}
