/** Shows the documented responses. Error responses are folded, because they are similar for all operations. */
export function createResponses({ React: { createElement: h, Fragment, useState } }) {
  function Foldable({ Original, props }) {
    const [isFolded, setFolded] = useState(true);
    const { className, code } = props;
    return h(
      Fragment,
      null,
      h(Original, { ...props, className: isFolded ? `${className} folded` : className }),
      h(
        'tr',
        { className: 'fold' },
        h(
          'td',
          { colSpan: 2 },
          h(
            'button',
            {
              type: 'button',
              'aria-expanded': !isFolded,
              'aria-label': `${isFolded ? 'Show' : 'Hide'} body and headers of ${code}`,
              onClick: () => setFolded(!isFolded),
            },
            isFolded ? 'Show' : 'Hide',
          ),
        ),
      ),
    );
  }

  return {
    response: (Original) => (props) =>
      props.code.startsWith('2') ? h(Original, props) : h(Foldable, { Original, props }),
    responses: (Original) => (props) => h('div', { ref: (place) => mendRoles(place) }, h(Original, props)),
    // A schema without a title is too small to fold.
    ModelCollapse: (Original) => (props) => (props.title ? h(Original, props) : props.children),
  };
}

/**
 * Removes two accessibility errors of Swagger UI: a role that hides that a table is a table, and labels on boxes
 * instead of only on their buttons.
 */
function mendRoles(place) {
  for (const table of place?.querySelectorAll('table[role]') ?? []) table.removeAttribute('role');
  for (const box of place?.querySelectorAll('div.copy-to-clipboard') ?? []) box.removeAttribute('aria-label');
}
