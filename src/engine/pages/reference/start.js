import { referencePlugin } from './plugin.js';
import { sendAsReference } from './try-it-out.js';

const place = document.getElementById('reference');
const { base } = place.dataset;
const hasPlayground = 'playground' in place.dataset;

// Within reach of the browser's console, where Swagger UI's own page has it.
window.ui = window.SwaggerUIBundle({
  domNode: place,
  url: `${base}/openapi.json`,
  plugins: [referencePlugin({ base, hasPlayground })],
  layout: 'Reference',
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  defaultModelExpandDepth: 5,
  syntaxHighlight: { theme: 'reference' },
  tryItOutEnabled: false,
  requestInterceptor: sendAsReference,
  // It would send the document's address to a machine of swagger.io.
  validatorUrl: null,
});
