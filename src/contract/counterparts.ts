import { type GraphQLField, type GraphQLInputType, type GraphQLSchema, getNamedType, isEnumType } from 'graphql';
import { type OpenApiDocument, operationsOf } from './openapi-document.ts';

interface RootField {
  readonly coordinate: string;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Tells what GraphQL calls the things of an OpenAPI document. */
export class Counterparts {
  readonly #fields: ReadonlyMap<string, RootField>;
  readonly #spell: (enumValue: string) => string;

  /**
   * @param spell how REST writes an enum value of GraphQL
   */
  constructor(schema: GraphQLSchema, document: OpenApiDocument, spell: (enumValue: string) => string) {
    this.#spell = spell;
    this.#fields = new Map(
      [...operationsOf(document).values()].flatMap(({ name, operationId = '' }) => {
        const found = rootField(schema, operationId);
        return found ? [[name, found]] : [];
      }),
    );
  }

  /**
   * @param coordinate `GET /pets`, `GET /pets (query sort)`, `GET /pets (query sort) -name` or a part of a component,
   *   which is named as it is in GraphQL
   */
  of(coordinate: string): string | undefined {
    if (!coordinate.includes(' ')) return coordinate;
    const [, operation = '', parameter, value] =
      /^(\S+ \S+)(?: \(\w+ (\S+)\)(?:\[\])?(?: (.+))?)?$/.exec(coordinate) ?? [];
    const root = this.#fields.get(operation);
    if (root === undefined || parameter === undefined) return root?.coordinate;
    const argument = root.field.args.find(({ name }) => name === parameter);
    if (argument === undefined) return undefined;
    return value === undefined ? `${root.coordinate}(${parameter}:)` : this.#enumValue(argument.type, value);
  }

  #enumValue(type: GraphQLInputType, text: string): string | undefined {
    const named = getNamedType(type);
    const value = isEnumType(named) ? named.getValues().find(({ name }) => this.#spell(name) === text) : undefined;
    return value && `${named.name}.${value.name}`;
  }
}

/** Operations are called as the mutation that they run, or `get` or `list` and the field of Query that they read. */
function rootField(schema: GraphQLSchema, operationId: string): RootField | undefined {
  const mutation = schema.getMutationType()?.getFields()[operationId];
  if (mutation) return { coordinate: `Mutation.${operationId}`, field: mutation };
  const name = operationId.replace(/^(get|list)(.)/, (_, __, first: string) => first.toLowerCase());
  const query = schema.getQueryType()?.getFields()[name];
  return query && { coordinate: `Query.${name}`, field: query };
}
