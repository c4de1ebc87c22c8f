import { annotations } from './annotations.js';
import { bringIntoView, followLinks } from './links.js';
import { operation } from './operation.js';
import { base, page, root } from './page.js';
import { responses } from './responses.js';
import { sendAsReference, tryItOut } from './try-it-out.js';

/** The syntax highlighting. The style sheet defines the colours. */
const reference = {
  hljs: {},
  'hljs-attr': { color: 'var(--code-name)' },
  'hljs-literal': { color: 'var(--code-value)' },
  'hljs-number': { color: 'var(--code-value)' },
  'hljs-string': { color: 'var(--code-text)' },
};
const own = {
  rootInjects: { syntaxHighlighting: { styles: { reference } } },
  statePlugins: {
    layout: { wrapActions: { scrollToElement: () => (element) => bringIntoView(element.closest('.operation')) } },
  },
};

// Available in the browser's console, as on Swagger UI's own page.
window.ui = window.SwaggerUIBundle({
  domNode: root,
  url: `${base}/openapi.json`,
  plugins: [own, page, operation, annotations, responses, tryItOut],
  layout: 'Reference',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelExpandDepth: 5,
  syntaxHighlight: { theme: 'reference' },
  requestInterceptor: sendAsReference,
  // Otherwise Swagger UI sends the document's URL to swagger.io.
  validatorUrl: null,
});
followLinks(window.ui.getSystem);
