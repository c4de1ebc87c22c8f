/** The day on which the changes are judged, usually. */
export const TODAY = '2026-11-21';
export const BETA = '@stability(level: BETA)';
export const EXPERIMENTAL = '@stability(level: EXPERIMENTAL)';

export function deprecated(sunset: string, since = '2026-01-01'): string {
  return `@deprecated(reason: "Old.") @sunset(on: "${sunset}", since: "${since}", successor: "Query.kept")`;
}
