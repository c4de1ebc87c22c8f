import { createAnnotations } from './annotations.js';
import { createControls } from './controls.js';
import { createLayout } from './layout.js';
import { bringIntoView } from './links.js';
import { createOperation } from './operation.js';
import { createResponseBody } from './response-body.js';
import { createResponses } from './responses.js';
import { tryItOut } from './try-it-out.js';

/** The syntax highlighting. The style sheet defines the colours. */
const THEME = {
  hljs: {},
  'hljs-attr': { color: 'var(--code-name)' },
  'hljs-literal': { color: 'var(--code-value)' },
  'hljs-number': { color: 'var(--code-value)' },
  'hljs-string': { color: 'var(--code-text)' },
};

/**
 * The Swagger UI plugin of the reference: its layout, the annotations of the document, and "Try it out" only where the
 * document allows it.
 *
 * @param {object} service
 * @param {string} service.base the path prefix of all URLs of the service
 * @param {boolean} service.hasPlayground whether there is a playground to link to
 */
export function referencePlugin(service) {
  return (system) => {
    const annotations = createAnnotations(system);
    const operation = createOperation(system, annotations, service);
    const controls = createControls(system);
    return {
      rootInjects: { syntaxHighlighting: { styles: { reference: THEME } } },
      components: {
        ...operation.components,
        ...controls.components,
        Reference: createLayout(system, annotations, service),
      },
      wrapComponents: {
        ...operation.wrapComponents,
        ...annotations.wrapComponents,
        ...controls.wrapComponents,
        ...createResponses(system),
        responseBody: createResponseBody(system),
      },
      statePlugins: {
        spec: tryItOut,
        layout: { wrapActions: { scrollToElement: () => (element) => bringIntoView(element.closest('.operation')) } },
      },
    };
  };
}
