import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyStore } from '../../src/auth/keys.ts';
import { scopeOf, scopesIn } from '../../src/auth/scope.ts';
import { schema } from '../../src/schema.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from './issuer.ts';

const SCOPES = ['read', 'catalogue:write', 'orders:write', 'stock:write'];
const description = JSON.parse(readFileSync(new URL('../../schema/openapi.json', import.meta.url), 'utf8'));

/** Every operation of REST, with the scopes that its description says. */
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

/** Every root field of GraphQL, with a document that asks for it. */
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
    return { name: field.name, scope: scopeOf(field) as string, query };
  }),
);

let issuer: Issuer;
let closed: TestApp;
let open: TestApp;
/** By their names: what each sends as its credential, and what it may do. */
const roles: { name: string; credential: string | undefined; scopes: readonly string[] }[] = [];

beforeAll(async () => {
  issuer = await startIssuer();
  const trusted = { JWT_JWKS_URL: issuer.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
  closed = await startTestApp({ AUTH: 'all', ...trusted });
  open = await startTestApp({ AUTH: 'required', ...trusted });
  roles.push({ name: 'nobody', credential: undefined, scopes: [] });
  for (const scopes of [[], ...SCOPES.map((scope) => [scope]), SCOPES]) {
    const name = scopes.join(' ') || 'no scope';
    roles.push({ name: `a key with ${name}`, credential: await makeKey(closed, scopes), scopes });
    roles.push({ name: `a token with ${name}`, credential: await issuer.token({ scope: scopes.join(' ') }), scopes });
  }
});
afterAll(async () => {
  await Promise.all([closed.dispose(), open.dispose(), issuer.close()]);
});

async function makeKey(app: TestApp, scopes: readonly string[], expiresAt: Date | null = null): Promise<string> {
  return (await keyStore(app.database).create('a test', scopes, expiresAt)).text;
}

function bearing(credential: string | undefined) {
  return credential === undefined ? {} : { headers: { authorization: `Bearer ${credential}` } };
}

async function ask(app: TestApp, query: string, credential: string | undefined) {
  const { headers = {} } = bearing(credential);
  const response = await app.fetch(
    new Request('http://pets.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    }),
  );
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
  return { status: response.status, headers: response.headers, data, code: errors?.[0]?.extensions.code };
}

/** How a caller without the scope is answered; undefined where it is let in. */
function refusalOf(held: readonly string[], isKnown: boolean, needed: readonly string[]): string | undefined {
  const missing = needed.filter((scope) => !held.includes(scope));
  return missing.length === 0 ? undefined : isKnown ? 'FORBIDDEN' : 'UNAUTHENTICATED';
}

test('every root field has a scope, and there are no others', () => {
  expect([...scopesIn(schema).keys()].sort()).toEqual([...SCOPES].sort());
  expect(fields.filter(({ scope }) => scope === undefined)).toEqual([]);
  expect(operations.filter(({ scopes }) => scopes.length !== 1)).toEqual([]);
});

describe('with AUTH=all, and with AUTH=required, where reads are open', () => {
  test.each(operations)('REST $operationId asks each caller for $scopes', async ({ method, path, scopes }) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {};
    for (const { name, credential, scopes: held } of roles) {
      const answer = await closed.rest(method, path, { ...body, ...bearing(credential) });
      const expected = refusalOf(held, credential !== undefined, scopes);
      const code = [401, 403].includes(answer.status) ? answer.body.code : undefined;
      expect({ name, code }).toEqual({ name, code: expected });
      expect(answer.headers.has('www-authenticate')).toBe(expected !== undefined);
      if (credential?.startsWith('psk_')) continue;
      const other = await open.rest(method, path, { ...body, ...bearing(credential) });
      const isLetIn = scopes.includes('read') || expected === undefined;
      expect([401, 403].includes(other.status)).toBe(!isLetIn);
    }
  });

  test.each(fields)('GraphQL $name asks each caller for $scope', async ({ query, scope }) => {
    for (const { name, credential, scopes: held } of roles) {
      const expected = refusalOf(held, credential !== undefined, [scope]);
      // An operation that came before is answered in another way.
      for (const _ of ['first', 'second', 'third']) {
        const { code, status } = await ask(closed, query, credential);
        const isRefused = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
        expect({ name, code: isRefused ? code : undefined }).toEqual({ name, code: expected });
        if (isRefused) expect(status).toBe(code === 'FORBIDDEN' ? 403 : 401);
      }
      if (credential?.startsWith('psk_')) continue;
      const { code } = await ask(open, query, credential);
      const isRefused = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
      expect(isRefused).toBe(scope !== 'read' && expected !== undefined);
    }
  });
});

test('an operation needs the scopes of all its root fields, whatever stands around them', async () => {
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

describe('a credential', () => {
  const get = (credential: string) => closed.rest('GET', '/pets', bearing(credential));
  const refused = async (credential: string, message: RegExp) => {
    const { status, body, headers } = await get(credential);
    expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(body.message).toMatch(message);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="pet-store", error="invalid_token"/);
    const graphql = await ask(closed, '{ pets { totalCount } }', credential);
    expect([graphql.status, graphql.code]).toEqual([401, 'UNAUTHENTICATED']);
    // A bad credential is refused also where none is needed.
    expect((await open.rest('GET', '/pets', bearing(credential))).status).toBe(401);
  };
  const now = () => Math.floor(Date.now() / 1000);

  test('lets in who may read', async () => {
    expect((await get(await makeKey(closed, ['read']))).status).toBe(200);
    expect((await get(await issuer.token({ scope: 'orders:write read' }))).status).toBe(200);
  });

  test('is Bearer, in any case', async () => {
    const token = await issuer.token({ scope: 'read' });
    const send = (authorization: string) => closed.rest('GET', '/pets', { headers: { authorization } });
    expect((await send(`bearer ${token}`)).status).toBe(200);
    for (const authorization of ['', 'Bearer', 'Basic YTpi', token, `Bearer ${token} ${token}`, 'Bearer ü']) {
      expect((await send(authorization)).status).toBe(401);
    }
  });

  describe('that is an API key', () => {
    test('is refused once it has expired', async () => {
      await refused(await makeKey(closed, ['read'], new Date(Date.now() - 1)), /has expired/);
    });

    test('is refused within two seconds of its revocation, although it came just before', async () => {
      const keys = keyStore(closed.database);
      const { key, text } = await keys.create('a test', ['read'], null);
      expect((await get(text)).status).toBe(200);
      await keys.revoke(key.id);
      await expect.poll(async () => (await get(text)).status, { timeout: 2_500 }).toBe(401);
    });

    test('is refused with another secret, another id, or cut off', async () => {
      const key = await makeKey(closed, ['read']);
      const [, id = '', secret = ''] = /^psk_(.{12})_(.+)$/.exec(key) ?? [];
      const wrong = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
      for (const bad of [`psk_${id}_${wrong}`, `psk_${'0'.repeat(12)}_${secret}`]) await refused(bad, /is not known/);
      for (const bad of [key.slice(0, -1), `${key}A`, 'psk_', `psk_${id}`, `PSK_${id}_${secret}`]) {
        await refused(bad, /is not complete|is none that is taken here/);
      }
    });

    test('is stored as a digest alone', async () => {
      const key = await makeKey(closed, ['read']);
      const rows = await closed.database.transaction((query) => query('select * from api_keys', []));
      expect(JSON.stringify(rows)).not.toContain(key.split('_').slice(2).join('_'));
    });
  });

  describe('that is a token', () => {
    test('has the clocks be half a minute apart, and no more', async () => {
      const read = { scope: 'read' };
      expect((await get(await issuer.token({ ...read, exp: now() - 20 }))).status).toBe(200);
      expect((await get(await issuer.token({ ...read, nbf: now() + 20 }))).status).toBe(200);
      await refused(await issuer.token({ ...read, exp: now() - 40 }), /has expired/);
      await refused(await issuer.token({ ...read, nbf: now() + 40 }), /nbf is not right/);
    });

    test('is refused that is for another audience, of another issuer, or says neither who nor until when', async () => {
      const read = { scope: 'read' };
      await refused(await issuer.token({ ...read, aud: 'another' }), /aud is not right/);
      await refused(await issuer.token({ ...read, iss: 'https://evil.example' }), /iss is not right/);
      await refused(await issuer.token({ ...read, exp: undefined }), /exp is not right/);
      await refused(await issuer.token({ ...read, sub: undefined }), /sub is not right/);
      await refused(await issuer.token({ ...read, sub: 'x'.repeat(256) }), /sub is longer than 255/);
      for (const sub of ['', 7, { name: 'ann' }]) {
        await refused(await issuer.token({ ...read, sub: sub as string }), /sub is not right/);
      }
    });

    test('is refused with alg none, also with a signature', async () => {
      const [, payload, signature] = (await issuer.token({ scope: 'read' })).split('.');
      for (const alg of ['none', 'None', 'NONE']) {
        const header = Buffer.from(JSON.stringify({ alg, kid: 'first' })).toString('base64url');
        await refused(`${header}.${payload}.`, /is none that is taken here/);
        await refused(`${header}.${payload}.${signature}`, /is none that is taken here/);
      }
    });

    test('is refused that is signed by an algorithm which is not listed, however good it is', async () => {
      const trusted = { JWT_JWKS_URL: issuer.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
      const app = await startTestApp({ AUTH: 'all', ...trusted, JWT_ALGORITHMS: ['ES256'] });
      const { status } = await app.rest('GET', '/pets', bearing(await issuer.token({ scope: 'read' })));
      expect(status).toBe(401);
      await app.dispose();
    });

    test('is refused that takes the public key for a shared secret', async () => {
      const [, payload] = (await issuer.token({ scope: 'read' })).split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: 'first' })).toString('base64url');
      const signature = createHmac('sha256', issuer.publicKey).update(`${header}.${payload}`).digest('base64url');
      await refused(`${header}.${payload}.${signature}`, /is none that is taken here/);
    });

    test('is refused that another key has signed, under the known id or its own', async () => {
      const { privateKey } = await generateKeyPair('RS256');
      for (const kid of ['first', 'second']) {
        const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: now() + 300, scope: 'read' };
        const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid });
        await refused(await forged.sign(privateKey), /is none that is taken here/);
      }
    });

    test('is refused cut off, or with another payload', async () => {
      const token = await issuer.token({ scope: 'orders:write' });
      const [header, payload = '', signature] = token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const more = Buffer.from(JSON.stringify({ ...claims, scope: 'read' })).toString('base64url');
      for (const bad of [token.slice(0, -5), `${header}.${payload}`, `${header}.${more}.${signature}`, `${header}..`]) {
        await refused(bad, /is none that is taken here/);
      }
    });

    test('is refused whose header brings its own key, tells where one is, or has to be understood and is not', async () => {
      const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
      const asked = issuer.asked;
      const jwk = await exportJWK(publicKey);
      for (const own of [{ jwk }, { jku: issuer.url }, { x5u: issuer.url }]) {
        const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: now() + 300, scope: 'read' };
        const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first', ...own });
        await refused(await forged.sign(privateKey), /is none that is taken here/);
      }
      const [, payload, signature] = (await issuer.token({ scope: 'read' })).split('.');
      const critical = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 }));
      await refused(`${critical.toString('base64url')}.${payload}.${signature}`, /is none that is taken here/);
      expect(issuer.asked - asked).toBeLessThan(2);
    });

    test('that nobody can tell the worth of is 503, and is told once the issuer is back', async () => {
      const away = await startIssuer();
      away.status = 500;
      const trusted = { JWT_JWKS_URL: away.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
      const app = await startTestApp({ AUTH: 'all', ...trusted });
      const credential = bearing(await away.token({ scope: 'read' }));
      const { status, body, headers } = await app.rest('GET', '/pets', credential);
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
      away.status = 200;
      expect((await app.rest('GET', '/pets', credential)).status).toBe(200);
      await Promise.all([app.dispose(), away.close()]);
    });

    test('is verified without asking the issuer each time, also when its key is not known', async () => {
      await get(await issuer.token({ scope: 'read' }));
      const before = issuer.asked;
      for (let n = 0; n < 20; n++)
        await get(await issuer.token({ scope: 'read', jti: `${n}` }, { kid: `unknown${n}` }));
      expect(issuer.asked - before).toBeLessThan(2);
    });
  });
});

describe('what a change answers with', () => {
  test('is more than its own row only for who may read, where reads are closed', async () => {
    const both = await issuer.token({ scope: 'orders:write read' });
    const write = await issuer.token({ scope: 'orders:write' });
    const plain = 'mutation { placeOrder(order: {}) { id quantity } }';
    const wide = 'mutation { placeOrder(order: {}) { id ...More } } fragment More on Order { pet { name } }';
    expect((await ask(closed, plain, write)).code).toBeUndefined();
    expect((await ask(closed, wide, both)).code).toBeUndefined();
    expect((await ask(closed, wide, write)).code).toBe('FORBIDDEN');
    expect((await ask(open, wide, write)).code).toBeUndefined();
  });
});

describe('pages', () => {
  const get = (app: TestApp, path: string, credential?: string, accept = 'text/html') => {
    const { headers = {} } = bearing(credential);
    return app.fetch(new Request(`http://pets.example${path}`, { headers: { accept, ...headers } }));
  };

  test('that tell of clients are closed with the reads; the others and the checks are open', async () => {
    const key = await makeKey(closed, ['read']);
    for (const path of ['/lifecycle', '/metrics']) {
      expect((await get(closed, path)).status).toBe(401);
      expect((await get(closed, path, key)).status).toBe(200);
      expect((await get(open, path)).status).toBe(200);
    }
    for (const path of ['/', '/reference', '/graphql', '/openapi.json', '/schema.graphql', '/livez', '/readyz']) {
      expect((await get(closed, path)).status).toBe(200);
    }
  });
});

test('a stored answer is told only to who may still do what it answers', async () => {
  const may = await issuer.token({ scope: 'catalogue:write' });
  const mayNot = await issuer.token({ scope: 'orders:write' });
  const body = JSON.stringify({ query: 'mutation { createCategory(category: { name: "Secret" }) { name } }' });
  const post = (path: string, credential: string, sent: string) => {
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'idempotency-key': path,
    };
    return open.fetch(new Request(`http://pets.example${path}`, { method: 'POST', headers, body: sent }));
  };
  for (const [path, sent] of [
    ['/categories', '{"name":"Secret"}'],
    ['/graphql', body],
  ] as const) {
    expect((await post(path, may, sent)).ok).toBe(true);
    expect((await post(path, may, sent)).headers.get('idempotent-replayed')).toBe('true');
    const refused = await post(path, mayNot, sent);
    expect([refused.status, refused.headers.get('idempotent-replayed')]).toEqual([403, null]);
    expect(await refused.text()).not.toContain('Secret');
  }
});

test('a key of an idempotent request is the key of its caller alone', async () => {
  const [ann, bob] = [await makeKey(open, ['catalogue:write']), await issuer.token({ scope: 'catalogue:write' })];
  const send = (credential: string, name: string) =>
    open.rest('POST', '/categories', {
      body: { name },
      headers: { 'idempotency-key': 'same', authorization: `Bearer ${credential}` },
    });
  expect((await send(ann, 'Dogs')).status).toBe(201);
  expect((await send(bob, 'Cats')).status).toBe(201);
  expect((await send(ann, 'Dogs')).headers.get('idempotent-replayed')).toBe('true');
  expect((await send(bob, 'Dogs')).status).toBe(422);
});
