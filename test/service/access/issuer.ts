import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** Who makes tokens: an HTTP server with its public keys, and the private ones. */
export interface Issuer {
  readonly url: string;
  /** The public key as text, as somebody may have found it. */
  readonly publicKey: string;
  /** Of the answers to whoever asks for the keys from now on; with 0 there are none. */
  status: number;
  /** How often the keys were asked for. */
  asked: number;
  /** From now on tokens are signed by a new key, and the keys tell of no other. */
  rotate(): Promise<void>;
  /** A token that is good for five minutes, but for what is said of it. */
  token(
    claims?: { readonly [claim in keyof JWTPayload]?: JWTPayload[claim] | undefined },
    header?: { alg?: string; kid?: string },
  ): Promise<string>;
  close(): Promise<void>;
}

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'pet-store';

export async function startIssuer(): Promise<Issuer> {
  let signing = await makeKey('first');
  const server = createServer(({ url }, response) => {
    issuer.asked++;
    if (issuer.status === 0) return;
    const status = url === '/jwks.json' ? issuer.status : 200;
    const headers = { 'content-type': 'application/json', ...(status === 302 && { location: '/elsewhere.json' }) };
    response.writeHead(status, headers).end(JSON.stringify({ keys: [signing.jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    publicKey: await exportSPKI(signing.publicKey),
    status: 200,
    asked: 0,
    async rotate() {
      signing = await makeKey(randomUUID());
    },
    token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'ann', iat: now, exp: now + 300, scope: '' };
      // JSON leaves out what is undefined.
      const payload: JWTPayload = JSON.parse(JSON.stringify({ ...usual, ...claims }));
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: signing.jwk.kid, ...header })
        .sign(signing.privateKey);
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return issuer;
}

async function makeKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}
