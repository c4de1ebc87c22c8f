/** The scheme of the document by which a credential is sent. */
const SCHEME = 'bearer';

/** Where a reader gives the key or token that trials are sent with. The page keeps it nowhere: it goes with the page. */
export function createCredential({ React: { createElement: h } }) {
  return function Credential({ authActions, specSelectors }) {
    const schema = specSelectors.specJson().getIn(['components', 'securitySchemes', SCHEME]);
    const take = ({ target }) => {
      const value = target.value.trim();
      if (value === '') authActions.logout([SCHEME]);
      else authActions.authorize({ [SCHEME]: { name: SCHEME, schema, value } });
    };
    return h(
      'p',
      { className: 'credential' },
      h(
        'label',
        null,
        'API key or token ',
        h('input', { type: 'password', autoComplete: 'off', spellCheck: false, onChange: take }),
      ),
      ' ',
      'Trials are sent with it. It is needed only where the service asks who calls, and is kept nowhere.',
    );
  };
}
