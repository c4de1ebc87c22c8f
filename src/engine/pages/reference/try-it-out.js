const OFF = 'x-hideTryItPanel';

/** "Try it out" is off where the document says so: there is no button, and a request that a script asks for is not sent. */
export const tryItOut = {
  wrapSelectors: {
    allowTryItOutFor:
      (_, { specSelectors }) =>
      (_state, path, method) =>
        specSelectors.specJson().getIn(['paths', path, method, OFF]) !== true,
  },
  wrapActions: {
    executeRequest:
      (send, { specSelectors }) =>
      (request) => {
        const { pathName, method, operation } = request;
        const isOff = operation.get(OFF) === true || !specSelectors.allowTryItOutFor(pathName, method);
        return isOff ? undefined : send(request);
      },
    setResponse: (set) => (path, method, response) =>
      set(path, method, { ...response, duration: durationOf(response) }),
  },
};

/**
 * Sends requests under a name of the page's own, which the service counts as no client; the command that is shown for the same
 * need not have it.
 */
export function sendAsReference(request) {
  request.userFetch = (address, options) => {
    performance.clearResourceTimings();
    return fetch(address, { ...options, headers: { ...options.headers, 'API-Client': '(reference)' } });
  };
  return request;
}

/** How long the network took, in milliseconds: Swagger UI counts what the page itself does meanwhile. */
function durationOf({ url, duration }) {
  const [timing] = performance.getEntriesByName(url, 'resource');
  return timing === undefined ? duration : Math.round(timing.duration);
}
