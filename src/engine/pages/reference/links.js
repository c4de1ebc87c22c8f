/** Until what an operation holds has come in, in milliseconds. */
const SETTLED = 500;

/**
 * Opens the operation that a link within the page leads to, or that the reader goes back to.
 *
 * @returns what ends it
 */
export function followLinks(getSystem) {
  const onClick = (event) => {
    const link = event.target.closest('a[href^="#/"]');
    // A new tab or window finds its own way there.
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

/** Scrolls to an element, and again as long as what it holds is still coming. */
export function bringIntoView(element) {
  const growth = new ResizeObserver(() => element.scrollIntoView());
  growth.observe(element);
  setTimeout(() => growth.disconnect(), SETTLED);
}

/** Brings an operation, open, before the reader's eyes and keyboard. */
function openOperation({ layoutSelectors, layoutActions }, address) {
  const [, tag, operationId] = decodeURIComponent(address).split('/');
  const element = document.getElementById(operationId);
  if (element === null) return;
  const key = ['operations', tag, operationId];
  // Opening puts the address into the history; an operation that is open already leaves that to us.
  if (!layoutSelectors.isShown(key)) layoutActions.show(key, true);
  else if (location.hash !== address) history.pushState(null, '', address);
  bringIntoView(element);
  element.querySelector('button').focus({ preventScroll: true });
}
