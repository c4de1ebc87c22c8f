import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/postgres-server.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

interface Balancer {
  readonly base: string;
  stop(): Promise<void>;
}

/**
 * Starts haproxy in front of services at the ports. It checks `/readyz` of each often, and retries a rejected
 * connection at another.
 *
 * @throws {Error} that says what to install if haproxy is missing
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const folder = makeTemporaryFolder();
  const port = await freePort();
  const file = join(folder.path, 'haproxy.cfg');
  writeFileSync(file, configuration(port, ports));
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const failure = once(child, 'error').then(([cause]) => {
    throw new Error('haproxy is missing: apt-get install haproxy.', { cause });
  });
  await Promise.race([once(child, 'spawn'), failure]);
  failure.catch(() => {});
  const base = `http://127.0.0.1:${port}`;
  while (!(await isUp(base))) await sleep(50);
  return {
    base,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      folder.remove();
    },
  };
}

function configuration(port: number, ports: readonly number[]): string {
  return `
defaults
  mode http
  timeout connect 2s
  timeout check 1s
  timeout client 30s
  timeout server 30s
  retries 3
  option redispatch
frontend shop
  bind 127.0.0.1:${port}
  default_backend services
backend services
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 100ms fall 1 rise 1
${ports.map((each, n) => `  server service${n} 127.0.0.1:${each}`).join('\n')}
`;
}

async function isUp(base: string): Promise<boolean> {
  return fetch(`${base}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
