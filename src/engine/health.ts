import { sql } from 'drizzle-orm';
import type { Database } from './db/client.ts';
import { integer } from './db/row.ts';
import { RETRY_SOON, ServiceError, toServiceError } from './errors.ts';
import type { HttpReply } from './http/reply.ts';
import type { RequestMetrics } from './metrics.ts';

/** How long the database may take to answer `/readyz`, in milliseconds. */
const PATIENCE = 1_000;

/** An answer to an operator's question; the error is why it is not a good one. */
export interface HealthAnswer extends HttpReply {
  readonly error?: ServiceError;
}

/** What operators and their tools ask: whether the process lives, whether it can work, and how it fares. */
export function createHealth(database: Database, metrics: Pick<RequestMetrics, 'render'>) {
  const ping = database.statement('health.ping', 'lookup', sql`select 1`, { one: integer });
  let isDraining = false;
  let isReady = true;
  let asking: Promise<ServiceError | undefined> | undefined;
  /** Nobody is charged for asking: so all who ask at once are one statement. */
  const ask = () => {
    asking ??= failureOf(ping()).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const checks: Readonly<Record<string, () => HealthAnswer | Promise<HealthAnswer>>> = {
    '/livez': () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      if (!isReady) return failed('The service is stopping.');
      const cause = await ask();
      return cause === undefined ? json(200, { status: 'ok' }) : failed('The database does not answer.', cause);
    },
    '/metrics': async () => {
      const { contentType, text } = await metrics.render();
      return { status: 200, headers: ['content-type', contentType], body: text };
    },
  };
  return {
    checks,
    isDraining: () => isDraining,
    beginDrain({ isReplaced }: { isReplaced: boolean }) {
      isDraining = true;
      isReady = isReplaced;
    },
  };
}

/** Why the answer failed or did not come in time; undefined when it came. */
async function failureOf(answer: Promise<unknown>): Promise<ServiceError | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ServiceError>((resolve) => {
    timer = setTimeout(() => resolve(new ServiceError('TIMEOUT', `No answer within ${PATIENCE} ms.`)), PATIENCE);
  });
  return Promise.race([answer.then(() => undefined, toServiceError), late]).finally(() => clearTimeout(timer));
}

/** @param cause is logged; a stop is none */
function failed(message: string, cause?: ServiceError): HealthAnswer {
  const { code, status, headers } = new ServiceError('UNAVAILABLE', message, { headers: RETRY_SOON });
  const reply = json(status, { code, message, status });
  const all = [...reply.headers, ...Object.entries(headers).flat()];
  return { ...reply, headers: all, ...(cause !== undefined && { error: cause }) };
}

function json(status: number, body: object): HttpReply {
  return { status, headers: ['content-type', 'application/json'], body: JSON.stringify(body) };
}
