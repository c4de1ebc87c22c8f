import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database } from './db/client.ts';
import { RETRY_SOON, ServiceError } from './errors.ts';
import type { HttpReply } from './http/reply.ts';
import type { CpuThrottle } from './limits/cpu-throttle.ts';
import type { RequestMetrics } from './metrics.ts';
import type { PageMaker } from './pages/site.ts';
import { sharedCall } from './shared-call.ts';

/** The timeout of the database check of `/readyz`, in milliseconds. */
const DATABASE_TIMEOUT = 1_000;
const JSON_TYPE = ['content-type', 'application/json'];
const OK: HttpReply = { status: 200, headers: JSON_TYPE, body: '{"status":"ok"}' };
/** Not thrown: a stop is no failure to log. */
const STOPPING: HttpReply = {
  status: 503,
  headers: [...JSON_TYPE, ...Object.entries(RETRY_SOON).flat()],
  body: JSON.stringify({ code: 'UNAVAILABLE', message: 'The service is stopping.', status: 503 }),
};

export function createHealth(
  database: Database,
  metrics: Pick<RequestMetrics, 'render'>,
  throttle: Pick<CpuThrottle, 'wait'>,
) {
  const ping = database.statement('health.ping', 'lookup', sql`select 1`, { one: Number });
  let isDraining = false;
  let isReady = true;
  /** Health checks have no rate limit, so concurrent ones share one statement. */
  const checkDatabase = sharedCall(() => Promise.race([ping(), late()]));

  const checks: Readonly<Record<string, PageMaker>> = {
    '/livez': () => OK,
    '/readyz': async () => {
      if (!isReady) return STOPPING;
      try {
        await checkDatabase();
      } catch (cause) {
        throw new ServiceError('UNAVAILABLE', 'The database does not answer.', { cause });
      }
      return OK;
    },
    '/metrics': async ({ meter }) => {
      await meter.waitFor(throttle, 1);
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

async function late(): Promise<never> {
  await sleep(DATABASE_TIMEOUT, undefined, { ref: false });
  throw new Error(`No answer within ${DATABASE_TIMEOUT} ms.`);
}
