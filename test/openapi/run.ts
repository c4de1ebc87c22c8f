import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { installFromLock } from '../support/install.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

/*
 * Checks that AsyncAPI's parser accepts the AsyncAPI document, and holds the OpenAPI document to every rule of some widely used rulesets, but for those that `waived.yaml` gives a reason
 * against. A rule that would hold may not stand there: each exception is one that the document needs.
 */

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

const here = fileURLToPath(new URL('.', import.meta.url));
const document = fileURLToPath(new URL('../../schema/openapi.json', import.meta.url));
const asyncApi = fileURLToPath(new URL('../../schema/asyncapi.json', import.meta.url));
/** By ruleset and rule. */
const waived: Readonly<Record<string, Readonly<Record<string, string>>>> = parse(
  readFileSync(join(here, 'waived.yaml'), 'utf8'),
);

let [passed, failed] = [0, 0];
installFromLock(here);
for (const [ruleset, reasons] of Object.entries(waived)) {
  const findings = lint(ruleset);
  const found = new Set(findings.map(({ code }) => code));
  const kept = findings.filter(({ code }) => reasons[code] === undefined);
  const stale = Object.keys(reasons).filter((rule) => !found.has(rule));
  for (const { code, message, path } of kept) process.stdout.write(`${code} at ${path.join('.')}: ${message}\n`);
  for (const rule of stale) process.stdout.write(`${rule} holds: take it out of waived.yaml\n`);
  if (kept.length + stale.length === 0) passed++;
  else failed++;
  process.stdout.write(`${ruleset}: ${kept.length} findings, ${found.size} rules waived\n`);
}
const invalid = await findingsOfAsyncApi();
for (const { code, message, path } of invalid) process.stdout.write(`${code} at ${path.join('.')}: ${message}\n`);
if (invalid.length === 0) passed++;
else failed++;
process.stdout.write(`AsyncAPI: ${invalid.length} findings\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

/** The findings of AsyncAPI's own parser; it also notes that there is a newer version. */
async function findingsOfAsyncApi(): Promise<readonly Finding[]> {
  const { Parser } = createRequire(join(here, 'package.json'))('@asyncapi/parser');
  const { document: parsed, diagnostics } = await new Parser().parse(readFileSync(asyncApi, 'utf8'));
  const findings: readonly Finding[] = diagnostics;
  const others = findings.filter(({ code }) => code !== 'asyncapi-latest-version');
  return parsed === undefined && others.length === 0 ? findings : others;
}

function lint(ruleset: string): readonly Finding[] {
  const folder = makeTemporaryFolder();
  const rules = join(folder.path, 'rules.json');
  const report = join(folder.path, 'report.json');
  const installed = createRequire(join(here, 'package.json')).resolve(ruleset);
  writeFileSync(rules, JSON.stringify({ extends: [[installed, 'all']] }));
  const args = ['lint', document, '--ruleset', rules, '--format', 'json', '--output', report, '--quiet'];
  const { status, stderr } = spawnSync(join(here, 'node_modules/.bin/spectral'), args, { encoding: 'utf8' });
  // 1: there are findings.
  if (status !== 0 && status !== 1) throw new Error(`Spectral ended with ${status}: ${stderr}`);
  const findings = JSON.parse(readFileSync(report, 'utf8'));
  folder.remove();
  return findings;
}
