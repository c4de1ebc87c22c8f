import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The size of a secret, in bytes. Standard Webhooks asks for 24 to 64. */
const SECRET_SIZE = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_SIZE).toString('base64');
}

/**
 * What receivers verify (Standard Webhooks 1.0), signed with each of the secrets: they need to know one of them. The id
 * is the same in each attempt.
 */
export function signatureHeaders(id: string, body: string, secrets: readonly string[]) {
  // By the wall clock, as receivers verify it, whatever clock the retries follow.
  const timestamp = Math.floor(Date.now() / 1_000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
