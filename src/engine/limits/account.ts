import { isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import { copyOf } from '../text.ts';

const MAX_KNOWN = 1_000;
/** Longer than any address with a zone and a port, in characters. */
const MAX_LENGTH = 100;

/** Gives the account of callers without a credential. Each of the `proxies` adds to `X-Forwarded-For`. */
export function createAccounts(proxies: number): (headers: Pick<Headers, 'get'>, remote: () => string) => string {
  const cache = new LRUCache<string, string>({ max: MAX_KNOWN });
  return (headers, remote) => {
    const address = addressOf(headers, remote, proxies);
    const cached = cache.get(address);
    if (cached !== undefined) return cached;
    const copy = copyOf(address.slice(0, MAX_LENGTH));
    const account = `ip:${networkOf(copy)}`;
    cache.set(copy, account);
    return account;
  };
}

/** The address that the outermost trusted proxy has seen; a client can forge what comes before it in the field. */
function addressOf(headers: Pick<Headers, 'get'>, remote: () => string, proxies: number): string {
  if (proxies === 0) return remote();
  const addresses = headers.get('x-forwarded-for')?.split(',') ?? [];
  return addresses.at(-proxies)?.trim() ?? remote();
}

/** Some proxies add the port, which would give a caller a new account with each connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** An IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one customer. */
function networkOf(given: string): string {
  const [address = given] = WITH_PORT.exec(given)?.slice(1).filter(Boolean) ?? [];
  const plain = isIPv6(address) ? canonical(address).replace(/^::ffff:(?=\d+\.)/, '') : address;
  if (!isIPv6(plain)) return plain.slice(0, 45);
  const [before = [], after] = plain.split('::').map((groups) => groups.split(':').filter(Boolean));
  const missing = after === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...(after ?? [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** In the form of RFC 5952, which has an IPv4 address in its own form, and without the zone. */
function canonical(ipv6: string): string {
  return new SocketAddress({ address: ipv6.split('%', 1)[0], family: 'ipv6' }).address;
}
