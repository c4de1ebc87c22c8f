const root = document.getElementById('root');
const { base, title } = root.dataset;
const examples = JSON.parse(root.dataset.examples);
/** Of an address, in characters: a service need not take a longer one. */
const MAX_ADDRESS_LENGTH = 2_000;

window.YogaGraphiQL.renderYogaGraphiQL(root, {
  fetcher: ask,
  title: homeLink(),
  logo: ' ',
  defaultTabs: examples.map((query) => ({ query })),
  // One in the address goes before.
  ...(!new URL(location.href).searchParams.has('query') && { query: openQuery() ?? examples[0] }),
  // What a reader types there is a credential.
  shouldPersistHeaders: false,
  onEditQuery: keepInAddress,
});

/** It is shown as HTML. */
function homeLink() {
  const link = document.createElement('a');
  link.href = `${base}/`;
  link.textContent = title;
  return link.outerHTML;
}

/** The document of the tab that was open last: GraphiQL would open a new and empty one beside those that it has kept. */
function openQuery() {
  const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
  return tabs?.[activeTabIndex]?.query;
}

/** Sends an operation, and shows what the service says of it, whatever that is. */
async function ask(operation, { headers } = {}) {
  try {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json',
        'content-type': 'application/json',
        // A name of the page's own, which is counted as no client.
        'api-client': '(playground)',
        ...headers,
      },
      body: JSON.stringify(operation),
    });
    // The bundle's own JSON keeps integers to the last digit, also beyond what a JavaScript number holds.
    return JSON.parse(await response.text());
  } catch (error) {
    return { errors: [{ message: `The service cannot be reached, or its answer cannot be read: ${error.message}` }] };
  }
}

/** So that an address can be passed on. A longer document is left out of it. */
function keepInAddress(query) {
  const address = new URL(location.href);
  address.searchParams.set('query', query);
  if (address.href.length > MAX_ADDRESS_LENGTH) address.searchParams.delete('query');
  history.replaceState({}, '', address);
}
