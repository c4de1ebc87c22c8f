import { capitalize } from '../text.ts';
import { created, gql, noContent, ok, page, pagingParameters, type Reply, type RouteOptions } from './route.ts';

const PAGING_ARGUMENTS = ['first', 'after', 'last', 'before'];

interface RowOptions {
  readonly tag: string;
  /** The GraphQL type of the rows. It is the name of their component in OpenAPI. */
  readonly type: string;
  /** The fields of a row in responses, separated by spaces: first the one that identifies it. */
  readonly fields: string;
  /** The variable with the identity of a row; `bookId` by default if the type is `Book`. */
  readonly id?: string;
}

/**
 * The options of routes of the usual form. Each names the root field of its operation.
 *
 * @example
 * const book = rowRoutes({ tag: 'Books', type: 'Book', fields: 'id title' });
 * const routes = [
 *   route('GET', '/books', book.list('books')),
 *   route('DELETE', '/books/{bookId}', { ...book.delete('deleteBook'), errors: ['CONFLICT'] }),
 * ];
 */
export function rowRoutes({ tag, type, fields, id = `${uncapitalize(type)}Id` }: RowOptions) {
  const fragment = `fragment ${type} on ${type} { ${fields} }`;
  const [identity = ''] = fields.split(' ');
  const row = uncapitalize(type);
  const [rowId, newRow, expected] = [`$${id}: Int64!`, `$${row}: New${type}!`, '$expectedVersion: [Int64!]'];
  const versioned = `...${type} version`;
  const write = (field: string, variables: string, selection: string, reply: Reply): RouteOptions => ({
    tag,
    operation: gql`mutation ${field}(${variables}) { ${field}(${argumentsOf(variables)}) { ${selection} } }
      ${selection.includes('...') ? fragment : ''}`,
    reply,
  });

  return {
    /** For the operations of routes with another form. */
    fragment,

    /**
     * A page by `limit` and `after`, with a parameter for each other argument of the root field.
     *
     * @param defaults the defaults, as GraphQL literals, of parameters whose default differs from that of their argument
     */
    list: (field: string, defaults: Readonly<Record<string, string>> = {}): RouteOptions => ({
      tag,
      operation: (schema) => {
        const { args = [] } = schema.getQueryType()?.getFields()[field] ?? {};
        const own = args.filter(({ name }) => !PAGING_ARGUMENTS.includes(name));
        const misspelt = Object.keys(defaults).find((name) => !own.some((argument) => argument.name === name));
        if (misspelt !== undefined) throw new Error(`${field} has no argument ${misspelt}, which has a default.`);
        const defaultOf = (name: string) => (defaults[name] === undefined ? '' : ` = ${defaults[name]}`);
        const variables = own.map(({ name, type: of }) => `$${name}: ${of}${defaultOf(name)}`).join(' ');
        return gql`query list${capitalize(field)}(${variables} $limit: Int = 20, $after: String) {
          ${field}(${argumentsOf(variables)} first: $limit, after: $after) {
            nodes { ...${type} } pageInfo { hasNextPage endCursor }
          }
        } ${fragment}`;
      },
      reply: page(),
      parameters: pagingParameters,
    }),

    byId: (field: string): RouteOptions => ({
      tag,
      operation: gql`query get${capitalize(field)}(${rowId}) { ${field}(${id}: $${id}) { ${versioned} } } ${fragment}`,
      reply: ok(`No ${row} has the id {${id}}.`),
    }),

    /** @param path the path of the new row, with `{name}` for its fields */
    create: (field: string, path: string) => write(field, newRow, versioned, created(path)),

    /** Its response has no entity tag: the stored row is not the body of the request (RFC 9110, section 9.3.4). */
    replace: (field: string) => write(field, `${rowId} ${newRow} ${expected}`, `...${type}`, ok()),

    update: (field: string) => write(field, `${rowId} $changes: ${type}Changes! ${expected}`, versioned, ok()),

    delete: (field: string) => write(field, `${rowId} ${expected}`, identity, noContent()),
  };
}

/** Each variable goes into the argument of its name. */
function argumentsOf(variables: string): string {
  return [...variables.matchAll(/\$(\w+)/g)].map(([variable, name]) => `${name}: ${variable}`).join(' ');
}

function uncapitalize(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
