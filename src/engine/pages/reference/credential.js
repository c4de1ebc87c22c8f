/** The scheme of the document by which a credential is sent. */
const SCHEME = 'bearer';

/** Under which this tab keeps it. */
const KEPT_AS = 'reference.credential';

/** Where a reader gives the key or token that requests are sent with. This tab alone keeps it, also when it is loaded again. */
export function createCredential({ React: { createElement: h, useEffect } }) {
  return function Credential({ authActions, specSelectors }) {
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
    return h(
      'p',
      { className: 'credential' },
      h(
        'label',
        null,
        'API key or token ',
        h('input', {
          id: 'credential',
          type: 'password',
          autoComplete: 'off',
          spellCheck: false,
          defaultValue: kept,
          onChange: ({ target }) => take(target.value.trim()),
        }),
      ),
      ' ',
      'Requests are sent with it. It is needed only where the service asks who calls. This tab keeps it until it is closed.',
    );
  };
}
