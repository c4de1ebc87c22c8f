const root = document.getElementById('root');
const { base, title } = root.dataset;
const examples = JSON.parse(root.dataset.examples);
/** The maximum length of a URL, in characters: servers may reject longer ones. */
const MAX_ADDRESS_LENGTH = 2_000;

const inAddress = new URL(location.href).searchParams;
// A query in the URL has priority.
const opened = inAddress.has('query')
  ? { variables: inAddress.get('variables') }
  : (openTab() ?? { query: examples[0] });

window.YogaGraphiQL.renderYogaGraphiQL(root, {
  fetcher: ask,
  title: homeLink(),
  logo: ' ',
  defaultTabs: examples.map((query) => ({ query })),
  query: opened.query,
  variables: opened.variables ?? '',
  // The header fields that a user types may contain a credential.
  shouldPersistHeaders: false,
  onEditQuery: (query) => keepInAddress({ query }),
  onEditVariables: (variables) => keepInAddress({ variables }),
});

/** GraphiQL shows the title as HTML. */
function homeLink() {
  const link = document.createElement('a');
  link.href = `${base}/`;
  link.textContent = title;
  return link.outerHTML;
}

/** The last open tab: without its content, GraphiQL would open a new, empty tab beside the stored ones. */
function openTab() {
  const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
  return tabs?.[activeTabIndex];
}

/** Sends an operation, and shows any response of the service: of a subscription, one result after another. */
async function ask(operation, { headers } = {}) {
  try {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json, text/event-stream;q=0.5',
        'content-type': 'application/json',
        // The page's own client name, whose requests are not counted as uses.
        'api-client': '(playground)',
        ...headers,
      },
      body: JSON.stringify(operation),
    });
    if (response.headers.get('content-type') === 'text/event-stream') return resultsOf(response);
    // The bundle's own JSON keeps integers exact, even those that a JavaScript number cannot hold.
    return JSON.parse(await response.text());
  } catch (error) {
    return { errors: [{ message: `The service cannot be reached, or its response cannot be read: ${error.message}` }] };
  }
}

/** The results of a stream of server-sent events, until it ends or GraphiQL stops reading. */
async function* resultsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const [, data] = /^data: (.+)$/m.exec(event) ?? [];
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  } finally {
    await reader.cancel();
  }
}

/** Keeps the document and its variables in the URL, so that the URL can be shared. What is too long is left out. */
function keepInAddress(edited) {
  const address = new URL(location.href);
  const query = address.searchParams.get('query') ?? openTab()?.query;
  for (const [name, text] of Object.entries({ query, ...edited })) {
    address.searchParams.set(name, text ?? '');
    if (!text || address.href.length > MAX_ADDRESS_LENGTH) address.searchParams.delete(name);
  }
  history.replaceState({}, '', address);
}
