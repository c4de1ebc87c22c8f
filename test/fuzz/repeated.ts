import { execute, type GraphQLArgument, type GraphQLField, OperationTypeNode, parse } from 'graphql';
import { toClientError } from '../../src/engine/graphql/errors.ts';
import { parseJson, stringifyJson } from '../../src/engine/json.ts';
import { COMPILED_AT } from '../../src/engine/operation/documents.ts';
import type { Context } from '../../src/engine/schema/context.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { type Answer, assertAgreement } from './agreement.ts';
import { type Asked, describeAsked, documentsFor } from './documents.ts';
import type { Target } from './target.ts';

const { schema } = petStoreService;

/** Often enough to be prepared (the second time) and compiled, and to be sent twice after that. */
const TIMES = COMPILED_AT + 3;
/** Left out: random cursors do not match a list, and one page size is enough. */
const NOT_GIVEN = new Set(['after', 'before', 'last']);
const MOMENT = '2026-11-21T09:30:00.000Z';

/** Documents about the pet store without changes. */
export const storeDocuments = documentsFor({
  schema,
  kinds: [OperationTypeNode.QUERY],
  leaves: {
    Int: [1, 2, 3].map(written),
    Boolean: [true, false].map(written),
    String: ['a', '', 'Rex', '__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8'].map(written),
    Int64: [1, 2, 9, 404, 9_007_199_254_740_993n].map(written),
    DateTime: [MOMENT].map(written),
    Date: [MOMENT.slice(0, 10)].map(written),
  },
  exotic: new Set(['DateTime']),
  // The lifecycle's counts change with each request.
  has: ({ name }: GraphQLField<unknown, unknown> | GraphQLArgument) => name !== 'lifecycle' && !NOT_GIVEN.has(name),
});

function written(value: unknown): [literal: string, value: unknown] {
  return [stringifyJson(value), value];
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

type Service = Pick<Target, 'fetch' | 'context' | 'authorizationFor'>;

/**
 * Sends a document until it is prepared and compiled; compares the responses with each other, byte for byte, and with
 * the result of graphql-js with the same resolvers.
 *
 * @returns the kind of response
 * @throws {Error} if a response differs
 */
export async function checkStoreDocument(asked: Asked, service: Service): Promise<'answered' | 'rejected'> {
  let known: Sent | undefined;
  const operations = asked.operations.map(({ name, variables }) => ({ name, body: bodyOf(asked, name, variables) }));
  try {
    for (const { name, body } of operations) {
      const [first, ...later] = await sendOften(service, body);
      known = first;
      const other = later.findIndex(({ status, text }) => status !== first?.status || text !== first.text);
      if (other >= 0)
        throw new Error(`${name}: the answer no. ${other + 2} is\n${later[other]?.text}, the first\n${first?.text}`);
      if (first !== undefined) await compare(asked, name, first, service.context);
    }
  } catch (error) {
    throw new Error(`${describeAsked(asked)}\n${error}`);
  }
  return known?.text.startsWith('{"data":') ? 'answered' : 'rejected';
}

function bodyOf({ text }: Asked, operationName: string, variables: object): string {
  return stringifyJson({ query: text, operationName, variables });
}

async function sendOften({ fetch, authorizationFor }: Service, body: string): Promise<Sent[]> {
  const sent: Sent[] = [];
  const authorization = authorizationFor(body);
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
  for (let time = 0; time < TIMES; time++) {
    const response = await fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    sent.push({ status: response.status, text: await response.text() });
  }
  return sent;
}

/** A rejection comes before execution, and its message differs from that of graphql-js. */
async function compare({ text, operations }: Asked, name: string, sent: Sent, context: Context): Promise<void> {
  const { data, errors } = parseJson(sent.text) as Answer;
  if (data === undefined) return;
  const variables = operations.find((one) => one.name === name)?.variables;
  const variableValues = parseJson(stringifyJson(variables ?? {})) as Record<string, unknown>;
  const result = await execute({
    schema,
    document: parse(text),
    operationName: name,
    variableValues,
    contextValue: context,
  });
  const clientErrors = result.errors?.map((error) => toClientError(error).toJSON());
  const expected = { data: result.data, ...(clientErrors && { errors: clientErrors }) };
  assertAgreement({ data, errors }, expected);
}
