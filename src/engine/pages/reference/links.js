/** The time until the content of an opened operation is rendered, in milliseconds. */
const SETTLED = 500;

/** Opens the operation of a link within the page, and of a step back in the history. */
export function followLinks(getSystem) {
  addEventListener('hashchange', () => openOperation(getSystem(), location.hash));
  addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#/"]');
    // The browser opens new tabs and windows itself.
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openOperation(getSystem(), link.hash);
  });
}

/** Scrolls to an element, and again while its content is still being rendered. */
export function bringIntoView(element) {
  const growth = new ResizeObserver(() => element.scrollIntoView());
  growth.observe(element);
  setTimeout(() => growth.disconnect(), SETTLED);
}

/** Opens an operation, scrolls to it and focuses it. */
function openOperation({ layoutSelectors, layoutActions }, address) {
  const [, tag, operationId] = address.split('/').map(decodeURIComponent);
  const element = document.getElementById(operationId);
  if (element === null) return;
  const key = ['operations', tag, operationId];
  // Swagger UI adds the URL to the history when it opens an operation, but not if the operation is open already.
  if (!layoutSelectors.isShown(key)) layoutActions.show(key, true);
  else if (location.hash !== address) history.pushState(null, '', address);
  bringIntoView(element);
  element.querySelector('button').focus({ preventScroll: true });
}

/**
 * The operations of the document for the navigation: group -> tags -> operations, in the document's order. Tags without
 * operations are left out.
 */
export function groupsOf(specSelectors) {
  const tagged = specSelectors.taggedOperations();
  const groups = specSelectors.specJson().get('x-tagGroups').toJS();
  return groups.map(({ name, tags }) => ({
    name,
    tags: tags
      .map((tag) => ({
        name: tag,
        description: tagged.getIn([tag, 'tagDetails', 'description']),
        operations: tagged.getIn([tag, 'operations']).toArray(),
      }))
      .filter(({ operations }) => operations.length > 0),
  }));
}

/** The link to an operation within the page; undefined if the document does not have the operation. */
export function linkTo(specSelectors, operationId) {
  const found = specSelectors.operations().find((one) => one.getIn(['operation', 'operationId']) === operationId);
  return found && addressOf(found.getIn(['operation', 'tags', 0]), operationId);
}

/** The URL fragment of an operation, in the format of Swagger UI's deep links. */
export function addressOf(tag, operationId) {
  return `#/${encodeURIComponent(tag)}/${operationId}`;
}
