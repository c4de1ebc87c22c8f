import { createAnnotations } from './annotations.js';
import { bringIntoView, followLinks } from './links.js';
import { createOperation } from './operation.js';
import { createPage } from './page.js';
import { createResponses } from './responses.js';
import { createTryItOut, sendAsReference, tryItOut } from './try-it-out.js';

const place = document.getElementById('reference');
const { base } = place.dataset;
const service = { base, hasPlayground: 'playground' in place.dataset };

/** The syntax highlighting. The style sheet defines the colours. */
const THEME = {
  hljs: {},
  'hljs-attr': { color: 'var(--code-name)' },
  'hljs-literal': { color: 'var(--code-value)' },
  'hljs-number': { color: 'var(--code-value)' },
  'hljs-string': { color: 'var(--code-text)' },
};

/** The layout of the page, the annotations of the document, and "Try it out" only where the document allows it. */
function plugin(system) {
  const annotations = createAnnotations(system);
  const operation = createOperation(system, annotations, service);
  const controls = createTryItOut(system);
  return {
    rootInjects: { syntaxHighlighting: { styles: { reference: THEME } } },
    components: {
      ...operation.components,
      ...controls.components,
      Reference: createPage(system, annotations, service),
    },
    wrapComponents: {
      ...operation.wrapComponents,
      ...annotations.wrapComponents,
      ...controls.wrapComponents,
      ...createResponses(system),
    },
    statePlugins: {
      spec: tryItOut,
      layout: { wrapActions: { scrollToElement: () => (element) => bringIntoView(element.closest('.operation')) } },
    },
  };
}

// Available in the browser's console, as on Swagger UI's own page.
window.ui = window.SwaggerUIBundle({
  domNode: place,
  url: `${base}/openapi.json`,
  plugins: [plugin],
  layout: 'Reference',
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  defaultModelExpandDepth: 5,
  syntaxHighlight: { theme: 'reference' },
  tryItOutEnabled: false,
  requestInterceptor: sendAsReference,
  // Otherwise Swagger UI sends the document's URL to swagger.io.
  validatorUrl: null,
});
followLinks(window.ui.getSystem);
