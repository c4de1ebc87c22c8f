import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLoopback, isPublic } from '../../../src/engine/webhooks/addresses.ts';
import { urlError } from '../../../src/engine/webhooks/target.ts';

describe('a webhook can lead to', () => {
  test.each(['1.1.1.1', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '2a00:1450:4001::200e'])('%s', (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe('a webhook cannot lead to', () => {
  test.each([
    ['this host', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.255.255.254'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.16.0.1'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.1.1'],
    ['the addresses of a provider', '100.100.100.200'],
    ['metadata', '169.254.169.254'],
    ['metadata', '168.63.129.16'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback', '::1'],
    ['no address', '::'],
    ['a private network', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['multicast', 'ff02::1'],
    ['an IPv4 address', '::ffff:127.0.0.1'],
    ['an IPv4 address', '::ffff:8.8.8.8'],
    ['an IPv4 address by NAT64', '64:ff9b::a9fe:a9fe'],
    ['an IPv4 address by 6to4', '2002:7f00:1::'],
    ['an IPv4 address by Teredo', '2001:0:7f00:1::'],
    ['documentation', '2001:db8::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('%s: %s', (_, address) => {
    expect(isPublic(address)).toBe(false);
  });

  test('an IPv4 address in any form of IPv6, whatever it is', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::'), (address, prefix) => {
        expect(isPublic(prefix + address)).toBe(false);
      }),
    );
  });
});

test('loopback is this machine alone', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopback)).toEqual([true, true, true]);
  expect(['10.0.0.1', '::2', '8.8.8.8', '0.0.0.0'].map(isLoopback)).toEqual([false, false, false, false]);
});

describe('the URL of a webhook', () => {
  const HTTPS = 'must begin with https:';
  const PUBLIC = 'must lead to a public address';
  const USER = 'must not contain a user name or password';
  const FRAGMENT = 'must not contain a fragment';
  const ABSOLUTE = 'must be an absolute URL, such as https://shop.example/hooks';
  test.each([
    ['https://shop.example/hooks?x=1', undefined, undefined],
    ['https://1.1.1.1:8443/', undefined, undefined],
    ['https://[2606:4700::1111]/', undefined, undefined],
    ['http://shop.example/', HTTPS, HTTPS],
    ['http://localhost:4000/', HTTPS, undefined],
    ['http://127.0.0.1/', HTTPS, undefined],
    ['http://[::1]:9/', HTTPS, undefined],
    ['https://localhost/', PUBLIC, undefined],
    ['https://0x7f.1/', PUBLIC, undefined],
    ['https://2130706433/', PUBLIC, undefined],
    ['https://10.0.0.1/', PUBLIC, PUBLIC],
    ['https://169.254.169.254/', PUBLIC, PUBLIC],
    ['https://[::ffff:10.0.0.1]/', PUBLIC, PUBLIC],
    ['https://me:secret@shop.example/', USER, USER],
    ['https://shop.example/#x', FRAGMENT, FRAGMENT],
    ['ftp://shop.example/', HTTPS, HTTPS],
    ['javascript:alert(1)', HTTPS, HTTPS],
    ['shop.example/hooks', ABSOLUTE, ABSOLUTE],
  ])('%s: in production %s, elsewhere %s', (url, inProduction, elsewhere) => {
    expect([urlError(url, 'public'), urlError(url, 'loopback')]).toEqual([inProduction, elsewhere]);
  });
});
