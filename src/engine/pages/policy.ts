import { hash } from 'node:crypto';
import type { HeaderFields } from '../http/reply.ts';

const STYLE = /<style>([\s\S]*?)<\/style>/g;

/**
 * The security header fields of a page: it cannot be framed, and loads only what `sources` (directives of CSP Level 3)
 * allow: by default nothing but its present inline styles, by their hashes.
 */
export function pageHeaders(page: string, sources = `style-src ${hashesOf(page)}; img-src data:`): HeaderFields {
  // Forms are sent only to this service.
  const forms = page.includes('<form') ? "'self'" : "'none'";
  return [
    'content-security-policy',
    `default-src 'none'; ${sources}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
    ...['cross-origin-opener-policy', 'same-origin', 'referrer-policy', 'no-referrer'],
  ];
}

function hashesOf(page: string): string {
  return [...page.matchAll(STYLE)].map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`).join(' ');
}
