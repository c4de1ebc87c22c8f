import { compareContracts, readContract } from '../../src/contract/contract.ts';
import { printReport } from '../../src/contract/report.ts';

/** A draft of a contract: SDL, and the paths and components of an OpenAPI document. */
export interface Draft {
  readonly sdl?: string;
  readonly security?: readonly object[];
  readonly paths?: object;
  readonly schemas?: object;
  readonly parameters?: object;
  readonly headers?: object;
  readonly securitySchemes?: object;
}

/** The definitions of the lifecycle directives in a printed schema. */
const DIRECTIVES = `
  scalar Date
  directive @stability(level: StabilityLevel!) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
  enum StabilityLevel { EXPERIMENTAL BETA }
  directive @sunset(on: Date!, since: Date!, successor: String!) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
`;

/** Parts of OpenAPI documents. */
export const integer = { type: 'integer' };
export const text = { type: 'string' };
export const ok = { 200: { description: 'Fine.' } };
export const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  required,
  properties,
});
export const json = (schema: object) => ({ content: { 'application/json': { schema } } });
export const reference = { $ref: '#/components/schemas/Thing' };

/** The texts of both descriptions of the draft. */
export function textsOf({
  sdl = 'type Query { kept: Int }',
  security,
  paths = {},
  ...components
}: Draft): [string, string] {
  return [DIRECTIVES + sdl, JSON.stringify({ openapi: '3.0.3', security, paths, components })];
}

/** The findings about the change between two drafts: each verdict with the coordinate and the reason. */
export async function judged(base: Draft, head: Draft, today: string): Promise<string[]> {
  const findings = await findingsOf(base, head, today);
  return findings.map(({ isAllowed, coordinate, why }) => `${isAllowed ? 'allowed' : 'fails'}: ${coordinate}. ${why}`);
}

/** The report about the change. */
export async function reported(base: Draft, head: Draft, today: string): Promise<string> {
  return printReport(await findingsOf(base, head, today), [], 'v1.0.0');
}

function findingsOf(base: Draft, head: Draft, today: string) {
  return compareContracts(readContract(...textsOf(base)), readContract(...textsOf(head)), today);
}
