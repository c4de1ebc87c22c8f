const root = document.getElementById('root');
const { base, examples } = root.dataset;
/** Of an address, in characters: a service need not take a longer one. */
const LONGEST_ADDRESS = 2_000;

window.YogaGraphiQL.renderYogaGraphiQL(root, {
  fetcher: ask,
  title: `<a href="${base}/">Pet store</a>`,
  logo: ' ',
  defaultTabs: JSON.parse(examples).map((query) => ({ query })),
  // What a reader types there is a credential.
  shouldPersistHeaders: false,
  onEditQuery: keepInAddress,
});

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
    return readExactly(await response.text());
  } catch (error) {
    return { errors: [{ message: `The service cannot be reached, or its answer cannot be read: ${error.message}` }] };
  }
}

/** JSON, in which integers beyond what a JavaScript number holds are shown to the last digit. */
function readExactly(text) {
  if (JSON.rawJSON === undefined) return JSON.parse(text);
  return JSON.parse(text, (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value) ? JSON.rawJSON(source) : value,
  );
}

/** So that an address can be passed on. A longer document is left out of it. */
function keepInAddress(query) {
  const address = new URL(location.href);
  address.searchParams.set('query', query);
  if (address.href.length > LONGEST_ADDRESS) address.searchParams.delete('query');
  history.replaceState({}, '', address);
}
