import { badgesOf } from './annotations.js';
import { addressOf, groupsOf } from './links.js';

/** The element that contains the page, and what the service says about itself there. */
export const root = document.getElementById('reference');
export const { base } = root.dataset;

/** The name of the document's security scheme. */
const SCHEME = 'bearer';
/** The key of the credential in the tab's session storage. */
const KEPT_AS = 'reference.credential';

export function page({ React, getSystem }) {
  const { createElement: h, useEffect, useState } = React;
  const link = (path, name) => h('a', { href: `${base}${path}` }, name);

  function Reference(system) {
    const { specSelectors, getComponent } = system;
    if (!specSelectors.specJson().has('paths'))
      return h('main', null, h('h1', null, 'Reference'), h(getComponent('errors', true)));
    const groups = groupsOf(specSelectors);
    const sections = groups.map(({ name, tags }) =>
      h('section', { key: name, className: 'group' }, h('h2', null, name), tags.map(operationsOf)),
    );
    return h(
      'div',
      { className: 'page' },
      h('a', { className: 'skip', href: '#content' }, 'Skip to the operations'),
      h(Navigation, { ...system, groups }),
      h('main', { id: 'content', tabIndex: -1 }, h(Introduction, system), sections),
    );
  }

  /** The groups, their tags and operations, at the side. On narrow screens it folds behind a button. */
  function Navigation({ groups, specSelectors, layoutSelectors }) {
    const [isUnfolded, setUnfolded] = useState(false);
    const list = (className, name, entries) =>
      h('li', { key: name }, h('span', { className }, name), h('ul', null, entries));
    const entryOf = (tag) => (op) => {
      const { method, operation } = op.toObject();
      const id = operation.get('operationId');
      const className = layoutSelectors.isShown(['operations', tag, id]) ? 'open' : '';
      const to = { href: addressOf(tag, id), className, onClick: () => setUnfolded(false) };
      const methodShown = h('span', { className: `method ${method}` }, method.toUpperCase());
      const name = h('span', null, operation.get('summary'), ' ', badgesOf(h, operation));
      return h('li', { key: id }, h('a', to, methodShown, name));
    };
    const listOf = ({ name, operations }) => list('tag-name', name, operations.map(entryOf(name)));
    const lists = groups.map(({ name, tags }) => list('group-name', name, tags.map(listOf)));
    const unfold = { type: 'button', 'aria-expanded': isUnfolded, onClick: () => setUnfolded(!isUnfolded) };
    return h(
      'nav',
      { 'aria-label': 'Operations', className: isUnfolded ? '' : 'folded' },
      h('div', { className: 'bar' }, link('/', specSelectors.info().get('title')), h('button', unfold, 'Operations')),
      h('ul', { className: 'groups' }, lists),
    );
  }

  function Introduction(system) {
    const { specSelectors, getComponent } = system;
    const info = specSelectors.info();
    return h(
      'header',
      null,
      h('h1', null, info.get('title'), ' ', h('small', null, info.get('version'))),
      h(getComponent('Markdown', true), { source: info.get('description') }),
      h('p', null, 'All addresses begin with ', h('code', null, location.origin + base), '.'),
      h(
        'p',
        null,
        link('/openapi.json', 'openapi.json'),
        link('/openapi.yaml', 'openapi.yaml'),
        'playground' in root.dataset && link('/graphql', 'GraphQL playground'),
        link('/lifecycle', 'Lifecycle'),
      ),
      h(Credential, system),
    );
  }

  /** The input for the key or token that requests are sent with. Only this tab stores it, also across reloads. */
  function Credential({ authActions, specSelectors }) {
    const schema = specSelectors.specJson().getIn(['components', 'securitySchemes', SCHEME]);
    const take = (value) => {
      if (value === '') authActions.logout([SCHEME]);
      else authActions.authorize({ [SCHEME]: { name: SCHEME, schema, value } });
      sessionStorage.setItem(KEPT_AS, value);
    };
    const kept = sessionStorage.getItem(KEPT_AS) ?? '';
    useEffect(() => {
      if (kept !== '') take(kept);
    }, []);
    const input = h('input', {
      id: 'credential',
      type: 'password',
      autoComplete: 'off',
      spellCheck: false,
      defaultValue: kept,
      onChange: ({ target }) => take(target.value.trim()),
    });
    return h(
      'p',
      { className: 'credential' },
      h('label', null, 'API key or token ', input),
      ' Requests are sent with it. It is needed only if the service requires authentication. This tab keeps it until it is closed.',
    );
  }

  function operationsOf({ name: tag, description, operations }) {
    const OperationContainer = getSystem().getComponent('OperationContainer', true);
    const shown = operations.map((op) => {
      const { path, method, specPath, operation } = op.toObject();
      const id = operation.get('operationId');
      const container = h(OperationContainer, { op, tag, path, method, specPath });
      return h('div', { key: id, id, className: 'operation' }, container);
    });
    return h('section', { key: tag, className: 'tag' }, h('h3', null, tag), h('p', null, description), shown);
  }

  return { components: { Reference } };
}
