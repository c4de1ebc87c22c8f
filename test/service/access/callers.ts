import { expect } from 'vitest';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from './issuer.ts';

/** The service with `AUTH=all` and with `AUTH=required`; both trust the same issuer. */
export interface Apps {
  readonly issuer: Issuer;
  readonly closed: TestApp;
  /** Its reads need no credential. */
  readonly open: TestApp;
  dispose(): Promise<void>;
}

export async function startApps(): Promise<Apps> {
  const issuer = await startIssuer();
  const closed = await startTestApp({ AUTH: 'all', ...trustIn(issuer) });
  const open = await startTestApp({ AUTH: 'required', ...trustIn(issuer) });
  return {
    issuer,
    closed,
    open,
    async dispose() {
      await Promise.all([closed.dispose(), open.dispose(), issuer.close()]);
    },
  };
}

/** The settings that make a service trust the issuer. */
export function trustIn({ url }: Issuer) {
  return { JWT_JWKS_URL: url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
}

export async function makeKey(app: TestApp, scopes: readonly string[], expiresAt: Date | null = null): Promise<string> {
  return (await keyStore(app.database).create('a test', scopes, expiresAt)).text;
}

export function bearing(credential: string | undefined) {
  return credential === undefined ? {} : { headers: { authorization: `Bearer ${credential}` } };
}

export async function ask(app: TestApp, query: string, credential: string | undefined) {
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

/** Checks that both protocols reject the credential, even where no credential is needed. */
export async function expectRejected({ closed, open }: Apps, credential: string, message: RegExp): Promise<void> {
  const { status, body, headers } = await closed.rest('GET', '/pets', bearing(credential));
  expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
  expect(body.message).toMatch(message);
  expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="pet-store", error="invalid_token"/);
  const graphql = await ask(closed, '{ pets { totalCount } }', credential);
  expect([graphql.status, graphql.code]).toEqual([401, 'UNAUTHENTICATED']);
  expect((await open.rest('GET', '/pets', bearing(credential))).status).toBe(401);
}
