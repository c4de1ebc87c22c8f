import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, runToEnd } from '../processes.ts';
import { type Dialect, peerDialect, postgraphileDialect, serviceDialect } from './dialect.ts';
import type { HeaderFields } from './request.ts';

/** A process that serves the data of a database, and is measured. */
export interface Contestant {
  readonly name: string;
  readonly dialect: Dialect;
  /** Whether it is a limit rather than a peer: it does less than any service could, so its latency is not compared. */
  readonly isLimit?: boolean;
  /** Whether its responses are always the same, so that they cannot be compared. */
  readonly isConstant?: boolean;
  /** Whether it has a copy of the data to itself, because it changes the database's definition. */
  readonly ownDatabase?: boolean;
  /** The command that starts it. */
  command(databaseUrl: string): Promise<Command>;
  /** Further header fields of the requests to it; called after it has started. */
  fields?(databaseUrl: string): Promise<HeaderFields>;
}

/** A build of the service: a folder such as `dist`, in a checkout with its `node_modules` and `drizzle`. */
export interface Build {
  readonly name: string;
  readonly folder: string;
}

export type PeerName = 'Fastify' | 'node:http' | 'the least' | 'Mercurius' | 'Yoga' | 'Apollo' | 'PostGraphile';

const POSTGRAPHILE_NODE = 22;
const folder = fileURLToPath(new URL('..', import.meta.url));

/**
 * The service as `npm start` starts it, with its database, a free port, and these settings only. It has no events, as the
 * peers have none: the triggers would be in the database of all. What events cost is measured apart.
 */
export function serviceOf({ name, folder: dist }: Build, settings: Command['environment'] = {}): Contestant {
  return {
    name,
    dialect: serviceDialect,
    command: async (databaseUrl) => ({
      program: process.execPath,
      args: [...startFlags(dirname(dist)), join(dist, 'main.js')],
      folder: dirname(dist),
      environment: { DATABASE_URL: databaseUrl, PORT: '0', EVENTS: 'off', ...settings },
    }),
  };
}

function startFlags(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

export const PEERS: Readonly<Record<PeerName, Contestant>> = {
  Fastify: peer('Fastify', 'fastify.js'),
  'node:http': { ...peer('node:http', 'bare.js'), isLimit: true, isConstant: true },
  'the least': { ...peer('the least', 'least.js'), isLimit: true },
  Mercurius: peer('Mercurius', 'mercurius.js'),
  Yoga: peer('Yoga', 'yoga.js'),
  Apollo: peer('Apollo', 'apollo.js'),
  PostGraphile: peer('PostGraphile', 'postgraphile.js', postgraphileDialect, newerNode),
};

function peer(
  name: PeerName,
  file: string,
  dialect: Dialect = peerDialect,
  node: () => Promise<string> = async () => process.execPath,
): Contestant {
  return {
    name,
    dialect,
    command: async (databaseUrl) => ({
      program: await node(),
      args: [join('peers', file)],
      folder,
      environment: { DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
    }),
  };
}

/** The current Node if it is new enough for PostGraphile; otherwise one from npm, kept in npm's cache. */
async function newerNode(): Promise<string> {
  if (Number.parseInt(process.versions.node, 10) >= POSTGRAPHILE_NODE) return process.execPath;
  const args = ['--yes', `node@${POSTGRAPHILE_NODE}`, '-p', 'process.execPath'];
  return (await runToEnd('npx node@22', { program: 'npx', args, folder, environment: {} })).trim();
}
