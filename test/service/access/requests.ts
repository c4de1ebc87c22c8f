import { type GraphQLField, getNamedType, isLeafType, isObjectType } from 'graphql';
import { endpointsOf } from '../../../src/engine/application.ts';
import { errorKind } from '../../../src/engine/errors.ts';
import { stringifyJson } from '../../../src/engine/json.ts';
import type { Endpoint } from '../../../src/engine/rest/compile.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import type { TestApp } from '../../support/app.ts';
import type { Values } from './changes.ts';

const { schema } = petStoreService;

/** A request without its credential. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** One way to request an operation. */
type Way = (name: string, variables: Values) => Asked;

const endpoints = endpointsOf(petStoreService);

/** Every mutation and its scope. */
export const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ({
  name: field.name,
  scope: field.extensions.scope as string,
}));

/** Every query, with the names of its arguments that are ids of rows. */
export const queries = Object.values(schema.getQueryType()?.getFields() ?? {}).map(({ name, args }) => ({
  name,
  names: args.filter(({ type }) => `${type}` === 'Int64!').map((argument) => argument.name),
}));

/** The ways to request a mutation: one for each protocol and each format of its errors. */
export const ways: Readonly<Record<string, Way>> = {
  REST: (name, variables) => askRest(name, variables, 'application/json'),
  'REST, with problem details': (name, variables) => askRest(name, variables, 'application/problem+json, */*;q=0.1'),
  GraphQL: (name, variables) => askGraphQL(name, variables, 'application/json'),
  'GraphQL, with statuses': (name, variables) => askGraphQL(name, variables, 'application/graphql-response+json'),
};

/** The error codes that depend on stored rows: those that the route declares, and those of its kind of operation. */
export function codesOf(name: string): readonly string[] {
  const { route, pathVariables, versionVariable, bodyFieldVariables } = endpointOf(name);
  return [
    ...(route.errors ?? []).map((kind) => errorKind(kind).code),
    ...(pathVariables.length > 0 ? ['NOT_FOUND'] : []),
    ...(versionVariable === undefined ? [] : ['PRECONDITION_FAILED']),
    ...(bodyFieldVariables.length === 0 ? [] : ['VALIDATION_FAILED']),
  ];
}

function askRest(name: string, variables: Values, accept: string): Asked {
  const { route, queryVariables, bodyVariable, bodyFieldVariables } = endpointOf(name);
  const expected = variables.expectedVersion as readonly number[] | undefined;
  // No row has this entity tag.
  const tags = expected?.map((version) => `"${version}"`).join(', ') || '"none"';
  const condition = expected?.[0] === 0 ? { 'if-none-match': '*' } : { 'if-match': tags };
  const beside = bodyFieldVariables.map(({ name: field }) => [field, variables[field]]);
  const input = bodyVariable && {
    ...(variables[bodyVariable.name] as object),
    ...Object.fromEntries(beside),
  };
  const body = input && stringifyJson(input);
  const inQuery = queryVariables.map(({ name: parameter }) => `${parameter}=${variables[parameter]}`);
  const query = inQuery.length === 0 ? '' : `?${inQuery.join('&')}`;
  return {
    method: route.method,
    path: route.path.replaceAll(/\{(\w+)\}/g, (_, variable: string) => String(variables[variable])) + query,
    headers: {
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(expected !== undefined && condition),
    },
    body,
  };
}

/** Selects all fields of the changed row. */
function askGraphQL(name: string, variables: Values, accept: string): Asked {
  const field = schema.getMutationType()?.getFields()[name] as GraphQLField<unknown, unknown>;
  const row = getNamedType(field.type);
  const leaves = isObjectType(row)
    ? Object.values(row.getFields()).filter(({ type }) => isLeafType(getNamedType(type)))
    : [];
  const declared = field.args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const given = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const query = `mutation (${declared}) { ${name}(${given}) { ${leaves.map((leaf) => leaf.name).join(' ')} } }`;
  return postGraphQL(query, variables, accept);
}

export function postGraphQL(query: string, variables: Values = {}, accept = 'application/json'): Asked {
  const headers = { accept, 'content-type': 'application/json' };
  return { method: 'POST', path: '/graphql', headers, body: stringifyJson({ query, variables }) };
}

/** Every GET operation of REST, with the id in its path. */
export function reads(id: number): readonly Asked[] {
  const gets = endpoints.filter(({ route }) => route.method === 'GET');
  return gets.map(({ route }) => ({
    method: 'GET',
    path: route.path.replaceAll(/\{\w+\}/g, `${id}`),
    headers: {},
  }));
}

function endpointOf(name: string): Endpoint {
  const found = endpoints.find(({ selected }) => selected.field.name === name);
  if (found === undefined) throw new Error(`The mutation ${name} has no route.`);
  return found;
}

/** Sends the request and gives the whole response as one text: status, header fields and body. */
export async function send(
  { fetch }: TestApp,
  { method, path, headers, body }: Asked,
  credential: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const own = { authorization: `Bearer ${credential}`, 'x-request-id': 'the-same' };
  const request = new Request(`http://pets.example${path}`, {
    method,
    headers: { ...headers, ...own, ...more },
    ...(body !== undefined && { body }),
  });
  const response = await fetch(request);
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [`${response.status}`, ...fields.sort(), '', await response.text()].join('\n');
}
