import { referencePlugin } from './plugin.js';
import { sendAsReference } from './try-it-out.js';

const place = document.getElementById('reference');
const { base } = place.dataset;
const hasPlayground = 'playground' in place.dataset;

// Available in the browser's console, as on Swagger UI's own page.
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
  // Otherwise Swagger UI sends the document's URL to swagger.io.
  validatorUrl: null,
});
