import ICAL from 'ical.js';
import type { Application } from '../application.ts';
import { addDays, sinceInstant } from '../lifecycle/annotation.ts';
import type { ReportEntry } from '../lifecycle/report.ts';
import { inWords, titleOf } from './lifecycle/format.ts';

// ical.js does not count the space at the start of a folded line; with it, a line has the maximum of 75 octets.
ICAL.foldLength = 74;

/**
 * The calendar of sunsets, to subscribe to (RFC 5545): each is a whole day, with a reminder 30 days ahead. The text
 * changes only if an annotation changes. The base is the absolute URL of the service.
 */
export function lifecycleCalendar(
  { title, name }: Pick<Application, 'title' | 'name'>,
  entries: readonly ReportEntry[],
  base: string,
): string {
  const properties = [
    ['version', {}, 'text', '2.0'],
    ['prodid', {}, 'text', `-//${title}//Lifecycle//EN`],
    ['x-wr-calname', {}, 'unknown', `${title}: sunsets`],
    ['refresh-interval', {}, 'duration', 'P1D'],
    ['x-published-ttl', {}, 'unknown', 'P1D'],
  ];
  return ICAL.stringify(['vcalendar', properties, entries.flatMap((entry) => sunsetEvents(name, entry, base))]);
}

/** The event of a deprecation as a component in jCal (RFC 7265): its name, properties and components. */
function sunsetEvents(service: string, entry: ReportEntry, base: string) {
  const { coordinate, restName, deprecation } = entry;
  if (deprecation === undefined) return [];
  const { since, sunset, successor, successorOperation, why } = deprecation;
  const summary = `Sunset: ${titleOf(entry)}`;
  const page = `${base}/lifecycle#${coordinate}`;
  const description = [
    `The last day, in UTC, on which ${named(coordinate, restName)} is served. It is deprecated from ${inWords(since)} on.`,
    why,
    `Use ${named(successor, successorOperation)} instead.`,
    page,
  ].join('\n');
  const reminder = [
    ['action', {}, 'text', 'DISPLAY'],
    ['description', {}, 'text', summary],
    ['trigger', {}, 'duration', '-P30D'],
  ];
  const properties = [
    ['uid', {}, 'text', `sunset-of-${coordinate}@${service}`],
    ['dtstamp', {}, 'date-time', sinceInstant(deprecation).toISOString().replace('.000', '')],
    ['dtstart', {}, 'date', sunset],
    ['dtend', {}, 'date', addDays(sunset, 1)],
    ['summary', {}, 'text', summary],
    ['description', {}, 'text', description],
    ['url', {}, 'uri', page],
    ['transp', {}, 'text', 'TRANSPARENT'],
  ];
  return [['vevent', properties, [['valarm', reminder, []]]]];
}

/** The coordinate, with the name in REST if there is one. */
function named(coordinate: string, restName: string | undefined): string {
  return restName === undefined ? coordinate : `${coordinate} (${restName})`;
}
