import { setTimeout as sleep } from 'node:timers/promises';
import { type DocumentNode, execute, GraphQLError, OperationTypeNode, parse } from 'graphql';
import { ServiceError } from '../../src/engine/errors.ts';
import { stringifyJson } from '../../src/engine/json.ts';
import { compileOperation, interpretOperation, type Operation } from '../../src/engine/operation/compiled.ts';
import { isUnsupported } from '../../src/engine/operation/compiler-bugs.ts';
import { selectionOf } from '../../src/engine/operation/selection.ts';
import { neverNull } from '../../src/engine/operation/validation.ts';
import { answerOf, assertAgreement } from './agreement.ts';
import type { Kit } from './document-values.ts';
import { type Asked, describeAsked, documentsFor } from './documents.ts';
import { createZoo } from './zoo.ts';

/** The resolvers of the zoo do not use it. */
const NO_CONTEXT = undefined as never;
const TEXTS = ['', 'Rex', '__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8', "it's `so`", '"\\\n\u2028', 'ä🐕'];
const MOMENT = '2026-11-21T09:30:00.000Z';

const { schema, begin, changes } = createZoo();
const kit: Kit = {
  schema,
  kinds: [OperationTypeNode.QUERY, OperationTypeNode.QUERY, OperationTypeNode.QUERY, OperationTypeNode.MUTATION],
  leaves: {
    Int: [0, 1, -7, 2_147_483_647].map(written),
    Float: [0.5, 3, 1e300, -0].map((value) => [value === 0 ? '-0.0' : `${value}`, value]),
    Boolean: [true, false].map(written),
    String: TEXTS.map(written),
    ID: ['a', '7', 8].map(written),
    Int64: [5n, 9_007_199_254_740_993n].map(written),
    Moment: [MOMENT].map(written),
    Json: [
      ['{ a: [1, "x"], __proto__: {} }', { a: [1, 'x'] }],
      written('__MAGIC_DATE__'),
      written([1, [true]]),
      ['-0.0', -0],
    ],
  },
  exotic: new Set(['Int64', 'Moment', 'Json']),
  has: () => true,
};

function written(value: unknown): [literal: string, value: unknown] {
  return [stringifyJson(value), value];
}

/** Documents about the zoo. */
export const zooDocuments = documentsFor(kit);

/** Longer than any resolver of the zoo takes, in milliseconds. */
const ALL_RESOLVED = 20;

/**
 * Does work on the zoo. When an item of a list fails at once, graphql-js does not await the items before it; if these
 * fail later, the rejection is unhandled. The zoo has such lists, so these rejections, and no others, are ignored.
 */
export async function ignoringAbandonedRejections<T>(work: () => Promise<T>): Promise<T> {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error, promise) => {
    if (!(error instanceof GraphQLError)) for (const listener of listeners) listener(error, promise);
  });
  try {
    return await work();
  } finally {
    await sleep(ALL_RESOLVED);
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

/**
 * Runs a document in graphql-js, interpreted and compiled, and compares the results.
 *
 * @returns whether it is compiled, interpreted, or rejected as the service rejects it before it runs
 * @throws {Error} if the results differ
 */
export async function checkZooDocument(asked: Asked): Promise<'compiled' | 'interpreted' | 'rejected'> {
  const document = parse(asked.text);
  if (asked.operations.some((operation) => isRejected(document, operation))) return 'rejected';
  // Twice, because an operation that was evicted is compiled again.
  for (const { name, variables } of [...asked.operations, ...asked.operations]) {
    const selection = selectionOf(schema, document, name);
    const ran = async (run: Operation) => {
      begin(asked.day);
      return [answerOf(await run(variables, NO_CONTEXT)), changes().join()] as const;
    };
    const [expected, due] = await ran(
      (variableValues) =>
        execute({ schema, document: parse(asked.text), operationName: name, variableValues }) as ReturnType<Operation>,
    );
    const [interpreted] = await ran(interpretOperation(selection));
    const [compiled, made] = await ran(compileOperation(selection));
    try {
      assertAgreement(interpreted, expected);
      assertAgreement(compiled, expected);
      if (made !== due) throw new Error(`Compiled, the changes are ${made}, and not ${due}.`);
    } catch (error) {
      throw new Error(`${describeAsked(asked)}\n${name}: ${error}`);
    }
  }
  const areCompiled = asked.operations.every(({ name }) => !isUnsupported(selectionOf(schema, document, name)));
  return areCompiled ? 'compiled' : 'interpreted';
}

/** Whether it exceeds a limit, or has null for a variable that must not be null. */
function isRejected(document: DocumentNode, { name, variables }: Asked['operations'][number]): boolean {
  try {
    const withoutNull = neverNull(selectionOf(schema, document, name));
    return [...withoutNull].some((variable) => variables[variable] === null);
  } catch (error) {
    if (error instanceof ServiceError) return true;
    throw error;
  }
}
