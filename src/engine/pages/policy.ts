import { hash } from 'node:crypto';
import type { HeaderFields } from '../http/reply.ts';

/** The allowed sources of a page, by the directives of its Content Security Policy. */
type Sources = Readonly<Partial<Record<'script' | 'style' | 'img' | 'font' | 'connect' | 'worker', string>>>;

const SCRIPT = /<script>([\s\S]*?)<\/script>/g;
const STYLE = /<style>([\s\S]*?)<\/style>/g;

/**
 * The security header fields of a page: it loads nothing from other sites, cannot be framed, and only the inline
 * scripts and styles that it has now are executed and applied, by their hashes (CSP Level 3).
 *
 * @param sources replace the hashes of inline scripts and styles
 */
export function pageHeaders(page: string, sources: Sources = {}): HeaderFields {
  const policy = [
    "default-src 'none'",
    directive('script', sources.script ?? hashesOf(page, SCRIPT)),
    directive('style', sources.style ?? hashesOf(page, STYLE)),
    directive('img', 'data:', sources.img),
    directive('font', sources.font),
    directive('connect', sources.connect),
    directive('worker', sources.worker),
    "base-uri 'none'",
    // Forms are sent only to this service.
    `form-action ${page.includes('<form') ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ];
  return [
    ...['content-security-policy', policy.filter(Boolean).join('; ')],
    ...['cross-origin-opener-policy', 'same-origin'],
    ...['referrer-policy', 'no-referrer'],
  ];
}

function directive(name: string, ...sources: readonly (string | undefined)[]): string {
  const given = sources.filter(Boolean).join(' ');
  return given === '' ? '' : `${name}-src ${given}`;
}

function hashesOf(page: string, element: RegExp): string {
  return [...page.matchAll(element)].map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`).join(' ');
}
