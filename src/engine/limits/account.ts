import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';

/** A request, as far as it is known from where it comes. */
export interface Origin {
  readonly headers: Pick<Headers, 'get'>;
  /** The address that the connection comes from; empty without a connection. */
  readonly remote: () => string;
}

/** What tells callers without a credential apart where something is shared out among callers: their address. */
type AccountOf = (request: Origin) => string;

/** How many addresses are known with their accounts. */
const MAX_KNOWN = 1_000;

/** @param proxies how many proxies stand before the service, each of which adds to `X-Forwarded-For` */
export function createAccounts(proxies: number): AccountOf {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return (request) => {
    const address = addressOf(request, proxies);
    const found = known.get(address);
    if (found !== undefined) return found;
    const account = `ip:${networkOf(address)}`;
    known.set(address, account);
    return account;
  };
}

/** The address that the last trusted proxy has seen: what is before it in the field, anybody may have written. */
function addressOf({ headers, remote }: Origin, proxies: number): string {
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
