import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** An issuer of tokens: an HTTP server with the public keys, and the private keys. */
export interface Issuer {
  readonly url: string;
  /** The public key as PEM, which an attacker knows too. */
  readonly publicKey: string;
  /** The status of the responses with the keys from now on; 0 for no response. */
  status: number;
  /** The number of requests for the keys. */
  asked: number;
  /** Further public keys, as JWKs. */
  readonly others: object[];
  /** Signs tokens with a new key from now on; the old key is no longer published. */
  rotate(): Promise<void>;
  /** A token that is valid for five minutes, unless its claims say otherwise. */
  token(
    claims?: { readonly [claim in keyof JWTPayload]?: JWTPayload[claim] | undefined },
    header?: { alg?: string; kid?: string },
  ): Promise<string>;
  close(): Promise<void>;
}

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'pet-store';

/** Key pairs of issuers that are closed: to generate one takes longer than most tests. */
const unused: GenerateKeyPairResult[] = [];

export async function startIssuer(): Promise<Issuer> {
  const pairs: GenerateKeyPairResult[] = [];
  let signing = await makeKey('first', pairs);
  const server = createServer(({ url }, response) => {
    issuer.asked++;
    if (issuer.status === 0) return;
    const status = url === '/jwks.json' ? issuer.status : 200;
    const headers = { 'content-type': 'application/json', ...(status === 302 && { location: '/elsewhere.json' }) };
    response.writeHead(status, headers).end(JSON.stringify({ keys: [signing.jwk, ...issuer.others] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    publicKey: await exportSPKI(signing.publicKey),
    status: 200,
    asked: 0,
    others: [],
    async rotate() {
      signing = await makeKey(randomUUID(), pairs);
    },
    token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const defaults = { iss: ISSUER, aud: AUDIENCE, sub: 'ann', iat: now, exp: now + 300, scope: '' };
      // JSON removes the claims that are undefined.
      const payload: JWTPayload = JSON.parse(JSON.stringify({ ...defaults, ...claims }));
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: signing.jwk.kid, ...header })
        .sign(signing.privateKey);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      unused.push(...pairs.splice(0));
    },
  };
  return issuer;
}

/** @param pairs the key pairs of the issuer, for that of the new key */
async function makeKey(kid: string, pairs: GenerateKeyPairResult[]) {
  const pair = unused.pop() ?? (await generateKeyPair('RS256', { extractable: true }));
  pairs.push(pair);
  return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, use: 'sig' } };
}
