import { type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { type ErrorCode, type ErrorKind, ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';

/** The methods of operations; HEAD and OPTIONS are added automatically. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A response, made from the value of the operation's one root field. */
export interface RouteReply {
  readonly status: number;
  /** Undefined for no body. */
  readonly body?: unknown;
  readonly headers?: HeaderFields | undefined;
}

type Values = Readonly<Record<string, unknown>>;

export interface ReplyContext {
  /** The absolute URL of a path of this service. */
  address(path: string): string;
  /** The absolute URL of the next page: the same list with the same filters, after the cursor. */
  nextPage(cursor: string): string;
}

/** How the root field's value becomes a response, and how OpenAPI describes its statuses. */
export interface Reply {
  readonly kind: 'item' | 'list' | 'none';
  /** The fields of the value that `answer` reads, such as `pageInfo.endCursor`: the operation must select them. */
  readonly selects?: readonly string[];
  readonly statuses: Readonly<Record<number, { description: string; headers?: readonly string[] }>>;
  readonly answer: (value: unknown, variables: Values, context: ReplyContext) => RouteReply;
}

/** An HTTP operation, without its method and path. */
export interface RouteOptions {
  readonly tag: string;
  /**
   * One operation with one root field, or what makes it from the schema. Its name is the operationId; a fragment's name is
   * the component's.
   */
  readonly operation: DocumentNode | ((schema: GraphQLSchema) => DocumentNode);
  readonly reply: Reply;
  /** Its own errors, beside those that every route of its kind has. */
  readonly errors?: readonly (ErrorCode | ErrorKind)[];
  /** Descriptions of parameters, for those whose argument's description does not fit REST. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Variables from body fields beside the input: a client may send back what it received, if that is still true. */
  readonly readOnly?: readonly string[];
  /** Describes the stream of server-sent events that a client gets with `Accept: text/event-stream`; undefined for none. */
  readonly stream?: string;
  /** Why the reference does not offer "Try it out", in a sentence; undefined if it does. */
  readonly noTryItOut?: string;
}

/** One HTTP operation: a projection of a GraphQL operation. */
export interface Route extends RouteOptions {
  readonly method: Method;
  /** With `{name}` for each variable in the path. */
  readonly path: string;
}

/** Whether a route creates the row if it does not exist. */
export function mayCreate({ method, reply }: Pick<Route, 'method' | 'reply'>): boolean {
  return method === 'PUT' && 201 in reply.statuses;
}

/** Whether each success of a route creates a row. */
export function creates({ reply: { statuses } }: Pick<Route, 'reply'>): boolean {
  return 201 in statuses && !(200 in statuses);
}

/** Declares an HTTP operation. It is checked when the routes are compiled. */
export function route(method: Method, path: string, options: RouteOptions): Route {
  return { method, path, ...options };
}

/** The document of a route, which some make from the schema. */
export function documentOf({ operation }: Pick<RouteOptions, 'operation'>, schema: GraphQLSchema): DocumentNode {
  return typeof operation === 'function' ? operation(schema) : operation;
}

/** Parses the document of a route, a template that may contain fragments. */
export function gql(strings: TemplateStringsArray, ...parts: readonly string[]): DocumentNode {
  return parse(String.raw({ raw: strings }, ...parts), { noLocation: true });
}

/** 200 with the row; or NOT_FOUND with this message if it is null, with `{name}` for variables. */
export function ok(missing = 'There is no such row.'): Reply {
  return {
    kind: 'item',
    statuses: { 200: { description: 'The row.' } },
    answer: (value, variables) => {
      if (value !== null) return { status: 200, body: value };
      const message = fillTemplate(missing, (name) => String(variables[name]));
      throw new ServiceError('NOT_FOUND', message);
    },
  };
}

/** 201 with the row, and its URL in `Location`: the path, with `{name}` for fields of the row. */
export function created(path: string): Reply {
  const pathWith = compileTemplate(path);
  return {
    kind: 'item',
    selects: namesIn(path),
    statuses: { 201: { description: 'The new row.', headers: ['Location'] } },
    answer: (value, _, context) => {
      const row = value as Values;
      const location = context.address(pathWith((name) => encodeURIComponent(String(row[name]))));
      return { status: 201, body: row, headers: ['location', location] };
    },
  };
}

/** 200 with the row, or 201 with its URL if the row's field `began` is true; the body leaves out `began`. */
export function replacedOrCreated(path: string): Reply {
  const creation = created(path);
  return {
    kind: 'item',
    selects: [...namesIn(path), 'began'],
    statuses: { 200: { description: 'The row as it is now.' }, ...creation.statuses },
    answer: (value, variables, context) => {
      const { began, ...row } = value as Values;
      return began === true ? creation.answer(row, variables, context) : { status: 200, body: row };
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
  /** If the client prefers it. */
  readonly totalCount?: number;
}

/** The descriptions of the parameters of a `page()`. */
export const pagingParameters = {
  limit: 'The maximum number of rows. Accepts 1 to 100.',
  after: 'Where the page begins: follow the address of `rel="next"` in `Link` rather than making it.',
} as const;

/** 200 with the nodes as a bare array, the next page in `Link` (RFC 8288), and their total if preferred (RFC 7240). */
export function page(): Reply {
  return {
    kind: 'list',
    selects: ['nodes', 'pageInfo.hasNextPage', 'pageInfo.endCursor'],
    statuses: { 200: { description: 'A page of the list.', headers: ['Link', 'Total-Count', 'Preference-Applied'] } },
    answer: (value, _, context) => {
      const { nodes, pageInfo, totalCount } = value as SelectedPage;
      const { hasNextPage, endCursor } = pageInfo;
      const link = hasNextPage && endCursor !== null ? ['link', `<${context.nextPage(endCursor)}>; rel="next"`] : [];
      const total =
        totalCount === undefined ? [] : ['total-count', `${totalCount}`, 'preference-applied', 'count=exact'];
      return { status: 200, body: nodes, headers: [...link, ...total, 'vary', 'Prefer'] };
    },
  };
}

/** 200 with the root field's whole list as a bare array. */
export function rows(description = 'The whole list.'): Reply {
  return {
    kind: 'list',
    statuses: { 200: { description } },
    answer: (value) => ({ status: 200, body: value }),
  };
}

const NAME = /\{(\w+)\}/g;

/** The names in a template, such as `id` in `/books/{id}`. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(NAME)].map(([, name = '']) => name);
}

/** Compiles a template: the function replaces each `{name}`. */
export function compileTemplate(template: string): (toText: (name: string) => string) => string {
  // Texts and names in turns.
  const parts = template.split(NAME);
  return (toText) => parts.map((part, n) => (n % 2 === 0 ? part : toText(part))).join('');
}

/** The same for a template that is filled once. */
export function fillTemplate(template: string, toText: (name: string) => string): string {
  return compileTemplate(template)(toText);
}
