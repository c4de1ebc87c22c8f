import { hash } from 'node:crypto';
import type { HeaderFields } from '../http/reply.ts';

/** Where parts of a page may come from, by the directives of its Content Security Policy. */
type Sources = Readonly<Partial<Record<'script' | 'style' | 'img' | 'font' | 'connect' | 'worker', string>>>;

const SCRIPT = /<script>([\s\S]*?)<\/script>/g;
const STYLE = /<style>([\s\S]*?)<\/style>/g;

/**
 * The header fields that guard a page: nothing comes from elsewhere, nobody frames it, and of what is inline, what is
 * in the page now runs or counts, and nothing that gets into it (CSP Level 3, with hashes).
 *
 * @param sources takes the place of what is inline
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
    // A form sends to this service alone.
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
