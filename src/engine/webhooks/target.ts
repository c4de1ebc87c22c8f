import { isIP } from 'node:net';
import { isLongerThan } from '../text.ts';
import { isLoopback, isPublic } from './addresses.ts';
import { WEBHOOK_LENGTHS } from './table.ts';

/** Where webhooks may lead: to the public internet by https; or also to this machine, by http too. */
export type Reach = 'public' | 'loopback';

const LOCAL_NAME = /^(.+\.)?localhost$/;
const LOCAL_ADDRESSES = ['127.0.0.1', '::1'];

/** The addresses of a host that need no lookup: of an IP address, and of this machine; undefined for another name. */
export function knownAddresses(hostname: string): readonly string[] | undefined {
  // In a URL, an IPv6 address has brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return [host];
  return LOCAL_NAME.test(host) ? LOCAL_ADDRESSES : undefined;
}

export function isAllowed(address: string, reach: Reach): boolean {
  return isPublic(address) || (reach === 'loopback' && isLoopback(address));
}

/** What is wrong with the URL of a webhook, as a phrase to follow "url"; undefined if nothing is. */
export function urlError(text: string, reach: Reach): string | undefined {
  if (!URL.canParse(text)) return `must be an absolute URL, such as https://shop.example/hooks`;
  const url = new URL(text);
  const addresses = knownAddresses(url.hostname) ?? [];
  const isLocal = addresses.some(isLoopback);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal && reach === 'loopback')) {
    return 'must begin with https:';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment';
  const { max } = WEBHOOK_LENGTHS.url;
  if (isLongerThan(url.href, max)) return `must be at most ${max} characters long when it is percent-encoded`;
  if (!addresses.every((address) => isAllowed(address, reach))) return 'must lead to a public address';
  return undefined;
}
