import { expect, test } from 'vitest';
import { createAccounts } from '../../../src/engine/limits/account.ts';

test.each([
  ['198.51.100.1, 192.0.2.1, 192.0.2.2', '192.0.2.1'],
  ['192.0.2.1,192.0.2.2', '192.0.2.1'],
  // A request that has not come through both proxies may have any address in the field.
  ['192.0.2.1', '203.0.113.1'],
  [null, '203.0.113.1'],
])('behind two proxies, the caller of a request with X-Forwarded-For: %s is %s', (forwarded, address) => {
  const accountOf = createAccounts(2);
  expect(accountOf({ get: () => forwarded }, () => '203.0.113.1')).toBe(`ip:${address}`);
});

test.each([
  ['::ffff:c633:6401', '198.51.100.1'],
  ['0:0:0:0:0:FFFF:198.51.100.1', '198.51.100.1'],
  ['2001:DB8:0:07::1', '2001:db8:0:7::/64'],
])('the caller at %s has the account of %s, however the proxy writes the address', (forwarded, account) => {
  expect(createAccounts(1)({ get: () => forwarded }, () => '')).toBe(`ip:${account}`);
});
