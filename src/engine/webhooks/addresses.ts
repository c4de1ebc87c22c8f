import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 addresses that are not on the public internet (RFC 6890), and an address that Azure has for its metadata. */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The IPv6 addresses that are assigned to the public internet (RFC 4291, section 2.4), and what is special in them. */
const GLOBAL_UNICAST = ['2000::/3'];
const NOT_GLOBAL = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blockedIPv4 = listOf(NOT_PUBLIC, 'ipv4');
const globalIPv6 = listOf(GLOBAL_UNICAST, 'ipv6');
const blockedIPv6 = listOf(NOT_GLOBAL, 'ipv6');
const loopback = listOf(['127.0.0.0/8'], 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Not private, loopback, link-local, multicast, reserved, of a metadata service, or IPv6 that stands for IPv4. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !blockedIPv4.check(address, 'ipv4');
  return isIPv6(address) && globalIPv6.check(address, 'ipv6') && !blockedIPv6.check(address, 'ipv6');
}

export function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
