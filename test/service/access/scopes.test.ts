import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopesIn } from '../../../src/engine/auth/scope.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import type { TestApp } from '../../support/app.ts';
import { type Apps, ask, bearing, makeKey, startApps } from './callers.ts';
import type { Issuer } from './issuer.ts';

const { schema } = petStoreService;

const SCOPES = ['read', 'catalogue:write', 'orders:write', 'stock:write', 'webhooks:write'];
const description = JSON.parse(readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'));

/** Every REST operation, with the scopes in its description. */
const operations = Object.entries<Record<string, { operationId: string; 'x-required-scopes': string[] }>>(
  description.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, 'x-required-scopes': scopes }]) => ({
    operationId,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, '999999'),
    scopes,
  })),
);

/** Every root field of GraphQL, with a document that selects it. */
const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map((field) => {
    const needed = field.args.filter(({ type: ofArgument }) => `${ofArgument}`.endsWith('!'));
    const variables = needed.map(({ name, type: ofArgument }) => `$${name}: ${ofArgument}`).join(', ');
    const given = needed.map(({ name }) => `${name}: $${name}`).join(', ');
    const query = [
      type === schema.getQueryType() ? 'query' : 'mutation',
      variables && `(${variables})`,
      `{ ${field.name}${given && `(${given})`} { __typename } }`,
    ].join(' ');
    return { name: field.name, scope: field.extensions.scope as string, query };
  }),
);

let apps: Apps;
let issuer: Issuer;
let closed: TestApp;
let open: TestApp;
/** The callers: the credential of each, and its scopes. */
const roles: { name: string; credential: string | undefined; scopes: readonly string[] }[] = [];

beforeAll(async () => {
  apps = await startApps();
  ({ issuer, closed, open } = apps);
  roles.push({ name: 'an anonymous caller', credential: undefined, scopes: [] });
  for (const scopes of [[], ...SCOPES.map((scope) => [scope]), SCOPES]) {
    const name = scopes.join(' ') || 'no scope';
    roles.push({ name: `a key with ${name}`, credential: await makeKey(closed, scopes), scopes });
    roles.push({ name: `a token with ${name}`, credential: await issuer.token({ scope: scopes.join(' ') }), scopes });
  }
});
afterAll(() => apps?.dispose());

/** The error code for a caller without the scope; undefined if it has the scope. */
function rejectionOf(held: readonly string[], isKnown: boolean, needed: readonly string[]): string | undefined {
  const missing = needed.filter((scope) => !held.includes(scope));
  return missing.length === 0 ? undefined : isKnown ? 'FORBIDDEN' : 'UNAUTHENTICATED';
}

test('every root field has a scope, and every scope has a root field', () => {
  expect([...scopesIn(schema).keys()].sort()).toEqual([...SCOPES].sort());
  expect(fields.filter(({ scope }) => scope === undefined)).toEqual([]);
  expect(operations.filter(({ scopes }) => scopes.length !== 1)).toEqual([]);
});

describe('with AUTH=all, and with AUTH=required, which leaves reads open', () => {
  test.each(operations)('REST $operationId needs the scope $scopes', async ({ method, path, scopes }) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {};
    for (const { name, credential, scopes: held } of roles) {
      const answer = await closed.rest(method, path, { ...body, ...bearing(credential) });
      const expected = rejectionOf(held, credential !== undefined, scopes);
      const code = [401, 403].includes(answer.status) ? answer.body.code : undefined;
      expect({ name, code }).toEqual({ name, code: expected });
      expect(answer.headers.has('www-authenticate')).toBe(expected !== undefined);
      if (credential?.startsWith('psk_')) continue;
      const other = await open.rest(method, path, { ...body, ...bearing(credential) });
      const isLetIn = scopes.includes('read') || expected === undefined;
      expect([401, 403].includes(other.status)).toBe(!isLetIn);
    }
  });

  test.each(fields)('GraphQL $name needs the scope $scope', async ({ query, scope }) => {
    for (const { name, credential, scopes: held } of roles) {
      const expected = rejectionOf(held, credential !== undefined, [scope]);
      // The second and the third time it is a prepared operation.
      for (const _ of ['first', 'second', 'third']) {
        const { code, status } = await ask(closed, query, credential);
        const isRejected = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
        expect({ name, code: isRejected ? code : undefined }).toEqual({ name, code: expected });
        if (isRejected) expect(status).toBe(code === 'FORBIDDEN' ? 403 : 401);
      }
      if (credential?.startsWith('psk_')) continue;
      const { code } = await ask(open, query, credential);
      const isRejected = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
      expect(isRejected).toBe(scope !== 'read' && expected !== undefined);
    }
  });
});

test('an operation needs the scopes of all its root fields, even in fragments and under aliases', async () => {
  const read = await issuer.token({ scope: 'read' });
  const both = await issuer.token({ scope: 'read stock:write' });
  const remove = 'deletePet(petId: 999999) { id }';
  for (const query of [
    `mutation { harmless: ${remove} }`,
    `mutation { stopTracking(petId: 999999) { petId } ${remove} }`,
    `mutation { ... on Mutation { ... @include(if: true) { ${remove} } } }`,
    `mutation { ...Outer } fragment Outer on Mutation { ...Inner } fragment Inner on Mutation { ${remove} }`,
  ]) {
    for (const app of [closed, open]) {
      for (const credential of [read, both]) expect((await ask(app, query, credential)).code).toBe('FORBIDDEN');
      expect((await ask(app, query, undefined)).code).toBe('UNAUTHENTICATED');
    }
  }
  for (const query of [
    '{ __typename ...Q } fragment Q on Query { a: pets { totalCount } }',
    '{ ... { pets { totalCount } } }',
  ]) {
    expect((await ask(closed, query, both)).code).toBeUndefined();
    expect((await ask(closed, query, undefined)).code).toBe('UNAUTHENTICATED');
  }
});
