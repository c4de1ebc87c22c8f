const OFF = 'x-hideTryItPanel';

/** The trial is off where the document says so: there is no button, and a request that a script asks for is not sent. */
export const trial = {
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
  },
};
