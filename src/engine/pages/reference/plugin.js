import { createAnnotations } from './annotations.js';
import { createControls } from './controls.js';
import { createLayout } from './layout.js';
import { bringIntoView } from './links.js';
import { createOperation } from './operation.js';
import { createResponseBody } from './response-body.js';
import { createResponses } from './responses.js';
import { tryItOut } from './try-it-out.js';

/** How code is coloured; the style sheet says which colours these are. */
const THEME = {
  hljs: {},
  'hljs-attr': { color: 'var(--code-name)' },
  'hljs-literal': { color: 'var(--code-value)' },
  'hljs-number': { color: 'var(--code-value)' },
  'hljs-string': { color: 'var(--code-text)' },
};

/**
 * What makes Swagger UI the reference of this service: its layout, the annotations of the document, and "Try it out" only where
 * the document has it on.
 *
 * @param {object} service what is known of it
 * @param {string} service.base what every address of the service begins with
 * @param {boolean} service.hasPlayground whether there is one to link to
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
