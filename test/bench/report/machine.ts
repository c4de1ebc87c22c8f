import { readFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';

/** The machine of the measurements, without its name. */
export function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores of ${first?.model.trim() ?? 'an unknown processor'}, ${memory} GiB, ${system()}`;
}

/** The installed versions of the peers' packages. */
export function peerVersions(): string {
  const packages = ['fastify', 'postgres', 'mercurius', 'graphql-jit', 'graphql-yoga', '@pothos/core', 'drizzle-orm'];
  const all = [...packages, '@apollo/server', '@as-integrations/fastify', 'dataloader', 'postgraphile', 'graphql'];
  return all.map((name) => `${name} ${versionOf(name)}`).join(', ');
}

function versionOf(name: string): string {
  const manifest = readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function system(): string {
  try {
    const [, name] = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
    return name ?? type();
  } catch {
    return type();
  }
}
