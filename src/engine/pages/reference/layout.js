import { createCredential } from './credential.js';
import { followLinks } from './links.js';
import { createNavigation } from './navigation.js';
import { groupsOf } from './operations.js';

/** The whole page: the navigation, the introduction and the operations. */
export function createLayout({ React, getSystem }, annotations, { base, hasPlayground }) {
  const { createElement: h, useEffect } = React;
  const Navigation = createNavigation(React, annotations, base);
  const Credential = createCredential({ React });

  function Reference(system) {
    const { specSelectors, getComponent } = system;
    useEffect(() => followLinks(getSystem), []);
    if (!specSelectors.specJson().has('paths'))
      return h('main', null, h('h1', null, 'Reference'), h(getComponent('errors', true)));
    const groups = groupsOf(specSelectors);
    return h(
      'div',
      { className: 'page' },
      h('a', { className: 'skip', href: '#content' }, 'Skip to the operations'),
      h(Navigation, { ...system, groups }),
      h(
        'main',
        { id: 'content', tabIndex: -1 },
        h(Introduction, system),
        groups.map((group) => h(Group, { ...system, key: group.name, group })),
      ),
    );
  }

  function Introduction(system) {
    const { specSelectors, getComponent } = system;
    const info = specSelectors.info();
    const link = (path, name) => h('a', { href: `${base}${path}` }, name);
    return h(
      'header',
      null,
      h('h1', null, info.get('title'), ' ', h('small', null, info.get('version'))),
      h(getComponent('Markdown', true), { source: info.get('description') }),
      h('p', null, 'All addresses begin with ', h('code', null, location.origin + base), '.'),
      h(
        'p',
        { className: 'links' },
        link('/openapi.json', 'openapi.json'),
        link('/openapi.yaml', 'openapi.yaml'),
        hasPlayground && link('/graphql', 'GraphQL playground'),
        link('/lifecycle', 'Lifecycle'),
      ),
      h(Credential, system),
    );
  }

  function Group({ group, getComponent }) {
    const OperationContainer = getComponent('OperationContainer', true);
    return h(
      'section',
      { className: 'group' },
      h('h2', null, group.name),
      group.tags.map(({ name: tag, description, operations }) =>
        h(
          'section',
          { key: tag, className: 'tag' },
          h('h3', null, tag),
          h('p', null, description),
          operations.map((op) => {
            const { path, method, specPath, operation } = op.toObject();
            const id = operation.get('operationId');
            return h(
              'div',
              { key: id, id, className: 'operation' },
              h(OperationContainer, { op, tag, path, method, specPath }),
            );
          }),
        ),
      ),
    );
  }

  return Reference;
}
