import { parseArgs } from 'node:util';
import { type ApiKey, keyStore } from '../engine/auth/keys.ts';
import { scopesIn } from '../engine/auth/scope.ts';
import type { Database } from '../engine/db/client.ts';
import { petStoreService } from '../petstore/service.ts';
import { prepareTables } from '../process/prepare-database.ts';
import type { Settings } from '../process/settings.ts';
import { assertAccepted, runCommand } from './run-command.ts';
import { withDatabase, withExistingDatabase } from './with-database.ts';

const USAGE = `npm run keys -- create --name NAME --scopes SCOPE,... [--expires 90d]
npm run keys -- list
npm run keys -- revoke ID`;
const MAX_NAME_LENGTH = 200;
const A_DAY = 86_400_000;
const MAX_DAYS = 3_650;

runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' }, scopes: { type: 'string' }, expires: { type: 'string' } },
  });
  const [command, id, ...others] = positionals;
  assertAccepted(values, command, { list: [], revoke: [] });
  if (command === 'create' && id === undefined) {
    const name = readName(values.name);
    const scopes = readScopes(values.scopes);
    const expiresAt = readExpiry(values.expires);
    const create = async (database: Database, settings: Settings) => {
      await prepareTables(database, settings);
      const { key, text } = await keyStore(database).create(name, scopes, expiresAt);
      process.stdout.write(`${text}\n\nIt is shown only once. ${describe(key)}\n`);
    };
    await withDatabase(create, { mustExist: true });
  } else if (command === 'list' && id === undefined) {
    await withKeys(async (keys) => {
      const all = await keys.list();
      process.stdout.write(all.length === 0 ? 'There are no keys.\n' : `${all.map(describe).join('\n')}\n`);
    });
  } else if (command === 'revoke' && id !== undefined && others.length === 0) {
    await withKeys(async (keys) => {
      // Without the secret, if the whole key was given.
      const [keyId = ''] = id.replace(/^psk_/, '').split('_', 1);
      const key = await keys.revoke(keyId);
      if (key === undefined) throw new Error(`No key has the id ${keyId}; npm run keys -- list lists all keys.`);
      process.stdout.write(`${describe(key)}\n`);
    });
  } else throw new Error(USAGE);
});

function withKeys(work: (keys: ReturnType<typeof keyStore>) => Promise<void>): Promise<void> {
  return withExistingDatabase((database) => work(keyStore(database)));
}

function describe({ id, name, scopes, createdAt, expiresAt, revokedAt }: ApiKey): string {
  const verb = revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= new Date() ? 'expired' : 'expires';
  const end = (revokedAt ?? expiresAt)?.toISOString();
  const until = end === undefined ? 'never expires' : `${verb} ${end}`;
  return `${id}  ${name}  scopes ${scopes}, created ${createdAt.toISOString()}, ${until}`;
}

function readName(name: string | undefined): string {
  if (name !== undefined && name.trim() !== '' && name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new Error(`--name must say whose key it is, in 1 to ${MAX_NAME_LENGTH} characters of one line.`);
}

function readScopes(text = ''): readonly string[] {
  const known = scopesIn(petStoreService.schema);
  const scopes = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const unknown = scopes.find((scope) => !known.has(scope));
  if (scopes.length > 0 && unknown === undefined) return scopes;
  const list = [...known].map(([scope, fields]) => `  ${scope}: ${[...new Set(fields)].join(', ')}`).join('\n');
  throw new Error(
    `--scopes must be some of these, separated by commas${unknown ? `; ${unknown} is not one` : ''}:\n${list}`,
  );
}

function readExpiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const days = Number(/^(\d{1,4})d$/.exec(text)?.[1]);
  if (days >= 1 && days <= MAX_DAYS) return new Date(Date.now() + days * A_DAY);
  throw new Error(`--expires must be a number of days from 1d to ${MAX_DAYS}d, not ${text}.`);
}
