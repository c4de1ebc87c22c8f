/** The name of the document's security scheme. */
const SCHEME = 'bearer';

/** The key of the credential in the tab's session storage. */
const KEPT_AS = 'reference.credential';

/** The input for the key or token that requests are sent with. Only this tab stores it, also across reloads. */
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
      'Requests are sent with it. It is needed only if the service requires authentication. This tab keeps it until it is closed.',
    );
  };
}
