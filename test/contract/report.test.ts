import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareContracts, readContract } from '../../src/contract/contract.ts';
import { graphqlCoordinate } from '../../src/contract/graphql-coordinate.ts';
import { printReport } from '../../src/contract/report.ts';
import { type Draft, reported } from '../support/drafts.ts';

const TODAY = '2026-11-21';
const ANNOTATION =
  '@deprecated(reason: "Old.") @sunset(on: "2027-12-31", since: "2026-07-01", successor: "Query.pets")';
const annotated = { deprecated: true, 'x-deprecated-since': '2026-07-01', 'x-deprecated-sunset': '2027-12-31' };
const text = { type: 'string' };
const answer = (name: string) => ({
  200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
});

const sort = { ...text, enum: ['name', '-name'], 'x-enum-marks': { '-name': annotated } };
const TYPES = 'type Pet { name: String status: PetStatus } enum PetStatus { available sold }';
const base: Draft = {
  sdl: `type Query { pet: Pet ${ANNOTATION} pets(sort: PetSort): [Pet] } enum PetSort { name name_desc ${ANNOTATION} } ${TYPES}`,
  paths: {
    '/pets/{petId}': { get: { operationId: 'getPet', responses: answer('Pet'), ...annotated } },
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [{ name: 'sort', in: 'query', schema: sort }],
        responses: answer('Pet'),
      },
    },
  },
  schemas: {
    Pet: { type: 'object', properties: { name: text, status: { $ref: '#/components/schemas/PetStatus' } } },
    PetStatus: { ...text, enum: ['available', 'sold'] },
  },
};
/** The base after a change of its texts. */
const after = (change: (texts: string) => string, paths = base.paths): Draft => ({
  sdl: change(base.sdl ?? ''),
  paths: JSON.parse(change(JSON.stringify(paths))),
  schemas: JSON.parse(change(JSON.stringify(base.schemas))),
});

describe('the report', () => {
  test('reports an element once, with its names in both descriptions', async () => {
    const { '/pets': list } = base.paths as Record<string, object>;
    const head = after((texts) => texts.replace(`pet: Pet ${ANNOTATION}`, ''), { '/pets': list });
    expect(await reported(base, head, TODAY)).toBe(
      [
        'NOT ALLOWED',
        '',
        '  Query.pet and GET /pets/{petId}',
        "    Field 'pet' (deprecated) was removed from object type 'Query'.",
        '    GET /pets/{petId} is gone.',
        '    Deprecated: served until the end of 2027-12-31, in UTC. Allowed from 2028-01-01.',
        '',
        'The contract breaks what v1.0.0 promised: 1 change is not allowed.',
      ].join('\n'),
    );
  });

  test('says which operations a change of a component affects', async () => {
    const head = after((texts) => texts.replace('name: String ', '').replace('"name":{"type":"string"},', ''));
    expect(await reported(base, head, TODAY)).toContain(
      [
        '  Pet.name',
        "    Field 'name' was removed from object type 'Pet'.",
        '    Pet.name is gone. In GET /pets/{petId} and GET /pets.',
        '    Stable: deprecate it first, with a sunset of 2027-05-20 or later',
      ].join('\n'),
    );
  });

  test('reports an enum value once, even where REST spells it differently', async () => {
    const head = after((texts) => texts.replace(`name_desc ${ANNOTATION}`, '').replace(',"-name"]', ']'));
    expect(await reported(base, head, '2027-12-31')).toContain('NOT ALLOWED');
    expect(await reported(base, head, '2028-01-01')).toBe(
      [
        'NOTES',
        '',
        '  PetSort.name_desc and GET /pets (query sort) -name',
        "    Enum value 'name_desc' (deprecated) was removed from enum 'PetSort'.",
        '    GET /pets (query sort) -name is gone.',
        '    Deprecated: its sunset, 2027-12-31, has passed.',
        '',
        'The contract keeps what v1.0.0 promised. 1 note.',
      ].join('\n'),
    );
  });

  test('reports a moved sunset once', async () => {
    const head = after((texts) => texts.replaceAll('2027-12-31', '2027-05-19'));
    expect(await reported(base, head, TODAY)).toContain(
      [
        '  Query.pet and GET /pets/{petId}',
        '    It is deprecated from 2026-07-01 to 2027-05-19; before, from 2026-07-01 to 2027-12-31.',
        "    Too short a notice: stable things get 180 days' notice. Allowed with a sunset of 2027-05-20 or later.",
      ].join('\n'),
    );
  });

  test('says what an element was before', async () => {
    const scopes = 'directive @requiresScope(scope: String!) on FIELD_DEFINITION';
    const before = { sdl: `type Query { a: Int b: Int c: Int d("How." e: Int): Int } ${scopes}` };
    const head = {
      sdl: `type Query {
        a: Int @stability(level: BETA) b: Int ${ANNOTATION} c: Int @requiresScope(scope: "audit") d("How. Accepts 1 to 9." e: Int): Int
      } ${scopes}`,
    };
    const report = await reported(before, head, TODAY);
    expect(report).toContain('It was stable, and is beta now.');
    expect(report).toContain('It is deprecated from 2026-07-01 to 2027-12-31; before, no sunset was announced.');
    expect(report).toContain('Its scope changed from none to audit.');
    expect(report).toContain('It accepts 1 to 9 now; before, any.');
    expect(report).toMatch(/\nThe contract breaks what v1\.0\.0 promised: 3 changes are not allowed\. 1 note\.$/);
  });

  test('puts failures first and sums up', async () => {
    const head = after((texts) =>
      texts.replace('available sold', 'available sold lost found').replace('name: String ', ''),
    );
    const report = await reported(base, head, TODAY);
    expect(report.indexOf('Pet.name')).toBeLessThan(report.indexOf('PetStatus.lost'));
    expect(report).toMatch(/\nThe contract breaks what v1\.0\.0 promised: 1 change is not allowed\. 2 notes\.$/);
  });

  test('names the clients that used an element in the last 30 days', async () => {
    const contract = readContract('type Query { a: Int b: Int }', '{"paths": {}}');
    const head = readContract('type Query { b: Int }', '{"paths": {}}');
    const findings = await compareContracts(contract, head, TODAY);
    const uses = [
      { coordinate: 'Query.a', client: 'shop-app', uses: 1204, lastDay: '2026-11-20' },
      { coordinate: 'Query.a', client: 'curl', uses: 1, lastDay: '2026-11-19' },
      { coordinate: 'Query.b', client: 'other', uses: 9, lastDay: '2026-11-19' },
    ];
    expect(printReport(findings, uses, 'v1.0.0')).toContain(
      'Used in the last 30 days by shop-app (1,204 uses, last on 2026-11-20) and curl (1 use, last on 2026-11-19).',
    );
  });
});

describe('the committed contract', () => {
  const read = (name: string) => readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8');
  const contract = readContract(read('schema.graphql'), read('openapi.json'));

  test('can be read, and has no changes compared with itself', async () => {
    expect(await compareContracts(contract, contract, TODAY)).toEqual([]);
  });

  test.each([
    ['GET /pets (query sort)', 'Query.pets(sort:)'],
    ['GET /pets (query sort) -name', 'PetSort.name_desc'],
    ['GET /pets (query sort) size', 'GET /pets (query sort) size'],
    ['GET /pets (query status)[] available', 'PetStatus.available'],
    ['GET /pets (query limit)', 'GET /pets (query limit)'],
  ])('maps %s to %s, if GraphQL has it', (coordinate, element) => {
    expect(graphqlCoordinate(contract.schema, contract.openApi, coordinate)).toBe(element);
  });

  test('maps each operation to its field in GraphQL, so that both are reported together', () => {
    const operations = [...contract.lifecycles.openApi.keys()].filter((coordinate) =>
      /^[A-Z]+ \/\S*$/.test(coordinate),
    );
    expect(operations.length).toBeGreaterThan(10);
    const fields = operations.map((operation) => graphqlCoordinate(contract.schema, contract.openApi, operation));
    expect(fields.filter((field) => !contract.lifecycles.graphql.has(field))).toEqual([]);
  });
});
