import { sql } from 'drizzle-orm';
import { type Database, integer } from './db/client.ts';
import type { HttpReply } from './http/reply.ts';
import type { Metrics } from './metrics.ts';

/** How long the database may take to answer `/readyz`, in milliseconds. */
const PATIENCE = 1_000;

/** What operators and their tools ask: whether the process lives, whether it can work, and how it fares. */
export function createHealth(database: Database, metrics: Metrics) {
  const ping = database.statement('health.ping', sql`select 1`, { one: integer });
  let isDraining = false;

  const checks: Readonly<Record<string, () => HttpReply | Promise<HttpReply>>> = {
    '/livez': () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      if (isDraining) return json(503, { status: 'stopping' });
      return (await answersInTime()) ? json(200, { status: 'ok' }) : json(503, { status: 'database unavailable' });
    },
    '/metrics': async () => {
      const { contentType, text } = await metrics.render();
      return { status: 200, headers: { 'content-type': contentType }, body: text };
    },
  };
  return {
    checks,
    beginDrain() {
      isDraining = true;
    },
  };

  async function answersInTime(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, false);
    });
    const answer = ping().then(
      () => true,
      () => false,
    );
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }
}

function json(status: number, body: object): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
