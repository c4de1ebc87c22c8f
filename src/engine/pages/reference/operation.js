import { badgesOf, noteOf } from './annotations.js';
import { base } from './page.js';

/** An operation's heading, and its body without what the heading shows already. */
export function operation({ React: { createElement: h, Fragment }, getSystem }) {
  const note = (...children) => h('p', { className: 'note' }, ...children);

  function OperationSummary({ operationProps, isShown, toggleShown, specPath }) {
    const { method, path, allowTryItOut } = operationProps.toObject();
    const described = getSystem().specSelectors.specJson().getIn(specPath);
    const needed = described.get('x-required-scopes')?.toArray() ?? [];
    const scopes = needed.map((scope) => h('code', { key: scope }, scope));
    const closed = needed.includes('read') ? 'reads' : 'changes';
    const parts = path.split(/(?=\/)/).map((part) => [part, h('wbr', { key: part })]);
    const call = h('code', null, `curl '${location.origin}${base}${path}'`);
    const reason = described.get('x-no-trial');
    return h(
      Fragment,
      null,
      h(
        'button',
        { type: 'button', className: 'summary', 'aria-expanded': isShown, onClick: toggleShown },
        h('span', { className: `method ${method}` }, method.toUpperCase()),
        h('span', { className: 'path' }, parts),
        h('span', { className: 'title' }, described.get('summary')),
        h('span', { className: 'badges' }, badgesOf(h, described)),
      ),
      noteOf(h, getSystem(), described),
      isShown && scopes.length > 0 && note('Needs the scope ', scopes, ` where ${closed} are closed.`),
      isShown && !allowTryItOut && note('Cannot be tried out here: ', reason, ' Call it with ', call, '.'),
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
function withoutRepetition(shown) {
  const summary = shown.get('summary');
  return shown
    .set('deprecated', false)
    .updateIn(['op', 'description'], (text) =>
      text?.startsWith(summary) ? text.slice(summary.length).replace(/^\.\s*/, '') : text,
    );
}
