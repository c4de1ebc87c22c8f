const root = document.getElementById('root');
const { base, title } = root.dataset;
const examples = JSON.parse(root.dataset.examples);
/** The maximum length of a URL, in characters: servers may reject longer ones. */
const MAX_ADDRESS_LENGTH = 2_000;

window.YogaGraphiQL.renderYogaGraphiQL(root, {
  fetcher: ask,
  title: homeLink(),
  logo: ' ',
  defaultTabs: examples.map((query) => ({ query })),
  // A query in the URL has priority.
  ...(!new URL(location.href).searchParams.has('query') && { query: openQuery() ?? examples[0] }),
  // The header fields that a user types may contain a credential.
  shouldPersistHeaders: false,
  onEditQuery: keepInAddress,
});

/** GraphiQL shows the title as HTML. */
function homeLink() {
  const link = document.createElement('a');
  link.href = `${base}/`;
  link.textContent = title;
  return link.outerHTML;
}

/** The document of the last open tab: without it, GraphiQL would open a new, empty tab beside the stored ones. */
function openQuery() {
  const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
  return tabs?.[activeTabIndex]?.query;
}

/** Sends an operation, and shows any response of the service. */
async function ask(operation, { headers } = {}) {
  try {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json',
        'content-type': 'application/json',
        // The page's own client name, whose requests are not counted as uses.
        'api-client': '(playground)',
        ...headers,
      },
      body: JSON.stringify(operation),
    });
    // The bundle's own JSON keeps integers exact, even those that a JavaScript number cannot hold.
    return JSON.parse(await response.text());
  } catch (error) {
    return { errors: [{ message: `The service cannot be reached, or its answer cannot be read: ${error.message}` }] };
  }
}

/** Keeps the document in the URL, so that the URL can be shared. A document that is too long is left out. */
function keepInAddress(query) {
  const address = new URL(location.href);
  address.searchParams.set('query', query);
  if (address.href.length > MAX_ADDRESS_LENGTH) address.searchParams.delete('query');
  history.replaceState({}, '', address);
}
