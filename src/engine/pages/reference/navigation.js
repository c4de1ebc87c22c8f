import { addressOf } from './operations.js';

/** The side navigation: groups, their tags and operations. On narrow screens it folds behind a button. */
export function createNavigation({ createElement: h, useState }, { Badges }, base) {
  function Navigation(system) {
    const { groups, specSelectors } = system;
    const [isUnfolded, setUnfolded] = useState(false);
    return h(
      'nav',
      { 'aria-label': 'Operations', className: isUnfolded ? 'unfolded' : 'folded' },
      h(
        'div',
        { className: 'bar' },
        h('a', { href: `${base}/` }, specSelectors.info().get('title')),
        h(
          'button',
          { type: 'button', 'aria-expanded': isUnfolded, onClick: () => setUnfolded(!isUnfolded) },
          'Operations',
        ),
      ),
      h(
        'ul',
        { className: 'groups' },
        groups.map(({ name, tags }) =>
          h(
            'li',
            { key: name },
            h('span', { className: 'group-name' }, name),
            h(
              'ul',
              null,
              tags.map((tag) => h(Tag, { key: tag.name, tag, system, onFollow: () => setUnfolded(false) })),
            ),
          ),
        ),
      ),
    );
  }

  function Tag({ tag: { name, operations }, system, onFollow }) {
    return h(
      'li',
      null,
      h('span', { className: 'tag-name' }, name),
      h(
        'ul',
        null,
        operations.map((op) => h('li', { key: op.get('id') }, h(Entry, { tag: name, op, system, onFollow }))),
      ),
    );
  }

  function Entry({ tag, op, system, onFollow }) {
    const operation = op.get('operation');
    const method = op.get('method');
    const id = operation.get('operationId');
    const isOpen = system.layoutSelectors.isShown(['operations', tag, id]);
    return h(
      'a',
      { href: addressOf(tag, id), className: isOpen ? 'open' : 'closed', onClick: onFollow },
      h('span', { className: `method ${method}` }, method.toUpperCase()),
      h('span', null, operation.get('summary'), ' ', h(Badges, { thing: operation })),
    );
  }

  return Navigation;
}
