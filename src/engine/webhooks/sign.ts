import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The size of a secret, in bytes. Standard Webhooks asks for 24 to 64. */
const SECRET_SIZE = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_SIZE).toString('base64');
}

interface SignedMessage {
  /** Identifies the event: the same in each attempt. */
  readonly id: string;
  /** When it is sent, in seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** What receivers verify (Standard Webhooks 1.0), signed with each of the secrets: they need to know one of them. */
export function signatureHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]) {
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
