import { sql } from 'drizzle-orm';
import type { Database } from './db/client.ts';
import { integer } from './db/row.ts';
import { RETRY_SOON, ServiceError, toServiceError } from './errors.ts';
import type { HttpReply } from './http/reply.ts';
import type { RequestMetrics } from './metrics.ts';

/** The timeout of the database check of `/readyz`, in milliseconds. */
const DATABASE_TIMEOUT = 1_000;

/** The response of a health check, and the error if the check failed. */
export interface HealthAnswer extends HttpReply {
  readonly error?: ServiceError;
}

/** Creates the health checks: liveness, readiness and metrics. */
export function createHealth(database: Database, metrics: Pick<RequestMetrics, 'render'>) {
  const ping = database.statement('health.ping', 'lookup', sql`select 1`, { one: integer });
  let isDraining = false;
  let isReady = true;
  let pending: Promise<ServiceError | undefined> | undefined;
  /** Health checks have no rate limit, so concurrent ones share one statement. */
  const checkDatabase = () => {
    pending ??= failureOf(ping()).finally(() => {
      pending = undefined;
    });
    return pending;
  };

  const checks: Readonly<Record<string, () => HealthAnswer | Promise<HealthAnswer>>> = {
    '/livez': () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      if (!isReady) return failed('The service is stopping.');
      const cause = await checkDatabase();
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

/** The error if the answer failed or took too long; undefined if it came. */
async function failureOf(answer: Promise<unknown>): Promise<ServiceError | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ServiceError>((resolve) => {
    const error = new ServiceError('TIMEOUT', `No answer within ${DATABASE_TIMEOUT} ms.`);
    timer = setTimeout(resolve, DATABASE_TIMEOUT, error);
  });
  return Promise.race([answer.then(() => undefined, toServiceError), late]).finally(() => clearTimeout(timer));
}

/** @param cause for the log; undefined while the service stops */
function failed(message: string, cause?: ServiceError): HealthAnswer {
  const reply = json(503, { code: 'UNAVAILABLE', message, status: 503 });
  const headers = [...reply.headers, ...Object.entries(RETRY_SOON).flat()];
  return { ...reply, headers, ...(cause !== undefined && { error: cause }) };
}

function json(status: number, body: object): HttpReply {
  return { status, headers: ['content-type', 'application/json'], body: JSON.stringify(body) };
}
