/** The time until the content of an opened operation is rendered, in milliseconds. */
const SETTLED = 500;

/**
 * Opens the operation of a link within the page, and of a step back in the history.
 *
 * @returns a function that stops it
 */
export function followLinks(getSystem) {
  const onClick = (event) => {
    const link = event.target.closest('a[href^="#/"]');
    // The browser opens new tabs and windows itself.
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openOperation(getSystem(), link.hash);
  };
  const onHashChange = () => openOperation(getSystem(), location.hash);
  addEventListener('click', onClick);
  addEventListener('hashchange', onHashChange);
  return () => {
    removeEventListener('click', onClick);
    removeEventListener('hashchange', onHashChange);
  };
}

/** Scrolls to an element, and again while its content is still being rendered. */
export function bringIntoView(element) {
  const growth = new ResizeObserver(() => element.scrollIntoView());
  growth.observe(element);
  setTimeout(() => growth.disconnect(), SETTLED);
}

/** Opens an operation, scrolls to it and focuses it. */
function openOperation({ layoutSelectors, layoutActions }, address) {
  const [, tag, operationId] = decodeURIComponent(address).split('/');
  const element = document.getElementById(operationId);
  if (element === null) return;
  const key = ['operations', tag, operationId];
  // Swagger UI adds the URL to the history when it opens an operation, but not if the operation is open already.
  if (!layoutSelectors.isShown(key)) layoutActions.show(key, true);
  else if (location.hash !== address) history.pushState(null, '', address);
  bringIntoView(element);
  element.querySelector('button').focus({ preventScroll: true });
}
