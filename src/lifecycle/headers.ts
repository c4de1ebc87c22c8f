import { type DeprecationMark, type Mark, sinceInstant, sunsetInstant } from './mark.ts';

/** Where the answers of a deprecated operation point. */
interface LifecycleAddresses {
  /** The page about deprecations and sunsets. */
  readonly page: string;
  /** What takes the operation's place. */
  readonly successor: string;
}

/** The fields that every answer of a marked operation carries and that do not depend on the request. */
export function lifecycleHeaders(mark: Mark): Readonly<Record<string, string>> {
  const stability = { 'api-stability': mark.level };
  if (mark.level !== 'deprecated') return stability;
  return {
    ...stability,
    // RFC 9745: a date of RFC 9651, in seconds of Unix time.
    deprecation: `@${sinceInstant(mark).getTime() / 1000}`,
    // RFC 8594: an HTTP-date.
    sunset: sunsetInstant(mark).toUTCString(),
    warning: `299 - "${warningText(mark)}"`,
  };
}

/** The `Link` field of a deprecated operation (RFC 8288; relations of RFC 5829, RFC 9745 and RFC 8594). */
export function lifecycleLink({ page, successor }: LifecycleAddresses): string {
  return [
    `<${successor}>; rel="successor-version"`,
    `<${page}>; rel="deprecation"; type="text/html"`,
    `<${page}>; rel="sunset"`,
  ].join(', ');
}

function warningText({ since, sunset }: DeprecationMark): string {
  return `Deprecated since ${since}, served until ${sunset}`;
}
