const OFF = 'x-hideTryItPanel';
/** How long a stream, which has no end, is read, in seconds. */
export const STREAM_SECONDS = 5;

/**
 * Turns "Try it out" off where the document says so: there is no button, and requests by scripts are not sent. Gives
 * every control a name for screen readers.
 */
export function tryItOut({ React: { createElement: h }, getSystem }) {
  const isOn = (path, method) => getSystem().specSelectors.specJson().getIn(['paths', path, method, OFF]) !== true;
  return {
    // Swagger UI looks up a component of this name for a list of int64, and warns if there is none.
    components: { JsonSchema_integer_int64: (props) => h(getSystem().getComponent('JsonSchema_string'), props) },
    wrapComponents: {
      JsonSchemaForm: (Original) => (props) =>
        h('div', { ref: (element) => nameControls(element, props.description) }, h(Original, props)),
      TextArea: (Original) => (props) => h(Original, { 'aria-label': 'Request body', ...props }),
    },
    statePlugins: {
      spec: {
        wrapSelectors: { allowTryItOutFor: () => (_state, path, method) => isOn(path, method) },
        wrapActions: {
          executeRequest: (send) => (request) =>
            request.operation.get(OFF) !== true && isOn(request.pathName, request.method) ? send(request) : undefined,
          setResponse: (set) => (path, method, response) =>
            set(path, method, { ...response, duration: durationOf(response) }),
        },
      },
    },
  };
}

/**
 * Sends requests with the page's own client name, whose requests are not counted as uses. The displayed curl command
 * does not have it.
 */
export function sendAsReference(request) {
  request.userFetch = async (address, options) => {
    performance.clearResourceTimings();
    const headers = { ...options.headers, 'API-Client': '(reference)' };
    const response = await fetch(address, { ...options, headers });
    if (response.headers.get('content-type') === 'text/event-stream') response.text = () => beginningOf(response);
    return response;
  };
  return request;
}

async function beginningOf({ body }) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  setTimeout(() => reader.cancel(), STREAM_SECONDS * 1_000);
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
}

/** The duration of the network request, in milliseconds: Swagger UI would include the time of the page's own work. */
function durationOf({ url, duration }) {
  const [timing] = performance.getEntriesByName(url, 'resource');
  return timing === undefined ? duration : Math.round(timing.duration);
}

function nameControls(element, name) {
  for (const control of element?.querySelectorAll('input, select') ?? []) control.setAttribute('aria-label', name);
}
