import { type DocumentNode, parse } from 'graphql';
import { type ErrorCode, type ErrorKind, ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import { COUNT_APPLIED } from './prefer.ts';

/** The methods that operations have; HEAD and OPTIONS come with them. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a route answers: made of what its operation's one root field gave. */
export interface Answer {
  readonly status: number;
  /** Undefined for no body. */
  readonly body?: unknown;
  readonly headers?: HeaderFields | undefined;
  /** Of the row that is answered; undefined for no row. */
  readonly version?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** What a reply may know of the request. */
export interface ReplyContext {
  /** The absolute address of a path of this service. */
  address(path: string): string;
  /** The absolute address of this very list from the cursor on, every filter kept. */
  nextPage(cursor: string): string;
}

/** How the root field's value becomes an answer; what OpenAPI says of it is told beside. */
export interface Reply {
  readonly kind: 'item' | 'list' | 'none';
  readonly statuses: Readonly<Record<number, { description: string; headers?: readonly string[] }>>;
  readonly answer: (value: unknown, variables: Values, context: ReplyContext) => Answer;
}

/** What an HTTP operation is, beside its method and path. */
interface RouteOptions {
  /** The tag that it is listed under. */
  readonly tag: string;
  /** One operation with one root field. Its name is the operationId; a fragment's name is the component's. */
  readonly operation: DocumentNode;
  readonly reply: Reply;
  /** Failures of its own, beside those that every route of its kind has. */
  readonly errors?: readonly (ErrorCode | ErrorKind)[];
  /** What REST says of a parameter, where the words of its argument do not fit there. */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Variables that come from fields of the body beside those of its input: a client may send back what it was answered,
   * as long as that is still so.
   */
  readonly readOnly?: readonly string[];
  /** Why the reference does not offer to try it, in a sentence; undefined where it does. */
  readonly noTryItOut?: string;
}

/** One HTTP operation: a projection of a GraphQL operation. */
export interface Route extends RouteOptions {
  readonly method: Method;
  /** With `{name}` for each variable of the operation that the path holds. */
  readonly path: string;
}

/** Whether it makes the row where there is none. */
export function mayCreate({ method, reply }: Pick<Route, 'method' | 'reply'>): boolean {
  return method === 'PUT' && 201 in reply.statuses;
}

/** Declares an HTTP operation; whether it holds is found when the routes are compiled. */
export function route(method: Method, path: string, options: RouteOptions): Route {
  return { method, path, ...options };
}

/** Parses a document, so that routes read like the GraphQL they are. */
export function gql(strings: TemplateStringsArray, ...parts: readonly string[]): DocumentNode {
  return parse(String.raw({ raw: strings }, ...parts), { noLocation: true });
}

/**
 * 200 with the row.
 *
 * @param missing what to say when there is none, with `{name}` for variables; for root fields that may be null
 */
export function ok(missing?: string): Reply {
  return {
    kind: 'item',
    statuses: { 200: { description: 'The row.' } },
    answer: (value, variables) => {
      if (value === null) throw new ServiceError('NOT_FOUND', fill(missing ?? 'There is no such row.', variables));
      return { status: 200, body: value };
    },
  };
}

/** 201 with the row and, in `Location`, its address: the path, with `{name}` for fields of the row. */
export function created(path: string): Reply {
  return {
    kind: 'item',
    statuses: { 201: { description: 'The new row.', headers: ['Location'] } },
    answer: (value, _, context) => {
      const row = value as Values;
      return { status: 201, body: row, headers: ['location', context.address(fill(path, row))] };
    },
  };
}

/** 200 with the row, or 201 with its address when its field `began` is true; that field is not answered. */
export function replacedOrCreated(path: string): Reply {
  const begun = created(path);
  return {
    kind: 'item',
    statuses: { 200: { description: 'The row as it is now.' }, ...begun.statuses },
    answer: (value, variables, context) => {
      const { began, ...row } = value as Values;
      return began === true ? begun.answer(row, variables, context) : { status: 200, body: row };
    },
  };
}

/** 204 without a body. */
export function noContent(): Reply {
  return {
    kind: 'none',
    statuses: { 204: { description: 'Done.' } },
    answer: () => ({ status: 204 }),
  };
}

interface SelectedPage {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Where the client would have it counted. */
  readonly totalCount?: number;
}

/** What REST says of the parameters that page a list. */
export const pagingParameters = {
  limit: 'The most rows to answer with. Accepts 1 to 100.',
  after: 'Where the page begins: follow the address of `rel="next"` in `Link` rather than making it.',
} as const;

/**
 * 200 with the connection's nodes as a bare array, and the next page's address in `Link` (RFC 8288); with how many
 * there are in all, where the client prefers that (RFC 7240).
 */
export function page(): Reply {
  return {
    kind: 'list',
    statuses: { 200: { description: 'A page of the list.', headers: ['Link', 'Total-Count', 'Preference-Applied'] } },
    answer: (value, _, context) => {
      const { nodes, pageInfo, totalCount } = value as SelectedPage;
      const { hasNextPage, endCursor } = pageInfo;
      const link = hasNextPage && endCursor !== null ? ['link', `<${context.nextPage(endCursor)}>; rel="next"`] : [];
      const total =
        totalCount === undefined ? [] : ['total-count', `${totalCount}`, 'preference-applied', COUNT_APPLIED];
      return { status: 200, body: nodes, headers: [...link, ...total, 'vary', 'Prefer'] };
    },
  };
}

/** 200 with the root field's list as a bare array, all of it. */
export function rows(description = 'The whole list.'): Reply {
  return {
    kind: 'list',
    statuses: { 200: { description } },
    answer: (value) => ({ status: 200, body: value }),
  };
}

function fill(template: string, values: Values): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}
