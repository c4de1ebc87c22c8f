import { isIPv6 } from 'node:net';
import { ANONYMOUS, type Caller } from '../auth/access.ts';
import type { RequestHeaders } from '../http/incoming.ts';
import type { RateLimiter } from './rate.ts';

/** A request, as far as somebody is charged for it. */
export interface Chargeable {
  readonly headers: RequestHeaders;
  /** The address that the connection comes from; empty without a connection. */
  readonly remote: () => string;
  /** Who is charged, once somebody is. */
  account?: string | undefined;
  /** How long it took to know who calls, in milliseconds; undefined for no time. */
  waited?: number | undefined;
}

/** Charges units for a request: to its caller, or to its address while nobody knows who calls. */
export type Charge = (request: Chargeable, caller: Caller, units: number) => void;

/** How many rows of lists, and how many values of their fields, cost as much as a request. */
const ROWS_OF_UNIT = 20;
const VALUES_OF_UNIT = 200;
/** How many requests cost as much as to count a list: all of a table may have to be read. */
const UNITS_OF_COUNT = 20;

/** For how many rows of a page an item of a list that filters it is looked up as often as one value is read. */
const ROWS_OF_ITEM = 10;

/** What a request may ask for. */
export interface Asking {
  /** Rows of lists. */
  readonly rows: number;
  /** Values of their fields. */
  readonly values: number;
}

/**
 * How many values the lists that filter a page count for: a page of rows may have to be looked at for each of their items.
 *
 * @param items how many they have together
 * @param size how many rows the page has
 */
export function valuesOfItems(items: number, size: number): number {
  return items * Math.ceil(size / ROWS_OF_ITEM);
}

/**
 * What a request costs beyond the one unit of each.
 *
 * @param counts how many lists it has counted
 */
export function unitsOf({ rows, values }: Asking, counts = 0): number {
  return Math.floor(Math.max(rows / ROWS_OF_UNIT, values / VALUES_OF_UNIT)) + counts * UNITS_OF_COUNT;
}

/** How many characters of a GraphQL document cost as much to read and to check as a request. */
const CHARACTERS_OF_UNIT = 100;

/** What a GraphQL document costs that is not known yet. */
export function unitsOfDocument(text: string): number {
  return Math.floor(text.length / CHARACTERS_OF_UNIT);
}

/** @param proxies how many proxies stand before the service, each of which adds to `X-Forwarded-For` */
export function createCharge(limiter: Pick<RateLimiter, 'charge'>, proxies: number): Charge {
  return (request, caller, units) => {
    request.account = caller === ANONYMOUS ? `ip:${networkOf(addressOf(request, proxies))}` : caller.id;
    limiter.charge(request.account, units);
  };
}

/** The address that the last trusted proxy has seen: what is before it in the field, anybody may have written. */
function addressOf({ headers, remote }: Chargeable, proxies: number): string {
  if (proxies === 0) return remote();
  const passed = headers.get('x-forwarded-for')?.split(',') ?? [];
  return passed.at(-proxies)?.trim() ?? remote();
}

/** Some proxies add the port: a caller would be another one with each connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** An IPv4 address, or the 64 bits of an IPv6 address that one customer has. */
function networkOf(given: string): string {
  const [address = given] = WITH_PORT.exec(given)?.slice(1).filter(Boolean) ?? [];
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain.slice(0, 45);
  const [head = '', tail] = plain.split('%', 1)[0]?.split('::') ?? [];
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
