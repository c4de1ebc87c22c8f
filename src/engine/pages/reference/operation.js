/** An operation's heading, and its body without what the heading shows already. */
export function createOperation({ React: { createElement: h, Fragment }, getSystem }, { Badges, Note }, { base }) {
  function OperationSummary({ operationProps, isShown, toggleShown, specPath }) {
    const { method, path, allowTryItOut } = operationProps.toObject();
    const operation = getSystem().specSelectors.specJson().getIn(specPath);
    const needed = operation.get('x-required-scopes')?.toArray() ?? [];
    const scopes = needed.map((scope) => h('code', { key: scope }, scope));
    const closed = needed.includes('read') ? 'reads' : 'changes';
    const call = h('code', null, `curl '${location.origin}${base}${path}'`);
    return h(
      Fragment,
      null,
      h(
        'button',
        { type: 'button', className: 'summary', 'aria-expanded': isShown, onClick: toggleShown },
        h('span', { className: `method ${method}` }, method.toUpperCase()),
        h(
          'span',
          { className: 'path' },
          path.split(/(?=\/)/).map((part) => [part, h('wbr', { key: part })]),
        ),
        h('span', { className: 'title' }, operation.get('summary')),
        h('span', { className: 'badges' }, h(Badges, { thing: operation })),
      ),
      h(Note, { thing: operation }),
      isShown &&
        scopes.length > 0 &&
        h('p', { className: 'note' }, 'Needs the scope ', scopes, ` where ${closed} are closed.`),
      isShown &&
        !allowTryItOut &&
        h(
          'p',
          { className: 'note' },
          'Cannot be tried out here: ',
          operation.get('x-no-trial'),
          ' Call it with ',
          call,
          '.',
        ),
    );
  }

  return {
    components: { OperationSummary },
    wrapComponents: {
      operation: (Original) => (props) => h(Original, { ...props, operation: withoutRepetition(props.operation) }),
    },
  };
}

/**
 * Hides the deprecation from Swagger UI, which would fade the operation and warn again; and drops the summary from the
 * start of the description.
 */
function withoutRepetition(operation) {
  const summary = operation.get('summary');
  return operation
    .set('deprecated', false)
    .updateIn(['op', 'description'], (text) =>
      text?.startsWith(summary) ? text.slice(summary.length).replace(/^\.\s*/, '') : text,
    );
}
