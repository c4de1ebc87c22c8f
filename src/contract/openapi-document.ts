import { z } from 'zod';
import { isDate } from '../engine/date.ts';

/** What an operation, a parameter or a property says of how far it can be relied on. */
export interface Annotated {
  readonly 'x-stability'?: 'beta' | 'experimental' | undefined;
  readonly deprecated?: boolean | undefined;
  readonly 'x-deprecated-since'?: string | undefined;
  readonly 'x-deprecated-sunset'?: string | undefined;
}

/** The keywords of a schema that are read; the comparison says which of the others it understands. */
export interface SchemaObject extends Annotated {
  readonly $ref?: string | undefined;
  readonly allOf?: readonly SchemaObject[] | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, SchemaObject>> | undefined;
  readonly additionalProperties?: boolean | undefined;
  readonly items?: SchemaObject | undefined;
  /** What the values of an enum bear, by value. */
  readonly 'x-enum-marks'?: Readonly<Record<string, Annotated>> | undefined;
  readonly [keyword: string]: unknown;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

const day = z.string().refine(isDate, 'must be a day such as 2026-07-01').optional();
const annotationKeywords = {
  'x-stability': z.enum(['beta', 'experimental']).optional(),
  deprecated: z.boolean().optional(),
  'x-deprecated-since': day,
  'x-deprecated-sunset': day,
};

const schemaObject: z.ZodType<SchemaObject> = z.lazy(() =>
  z.looseObject({
    ...annotationKeywords,
    $ref: z.string().optional(),
    allOf: z.array(schemaObject).optional(),
    type: z.string().optional(),
    format: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), schemaObject).optional(),
    additionalProperties: z.boolean().optional(),
    items: schemaObject.optional(),
    'x-enum-marks': z.record(z.string(), z.looseObject(annotationKeywords)).optional(),
  }),
);

const referenceObject = z.object({ $ref: z.string() });
const content = z.record(z.string(), z.object({ schema: schemaObject.default({}) })).default({});
const headerObject = z.object({ schema: schemaObject.default({}) });
const parameterObject = z.object({
  ...annotationKeywords,
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  style: z.string().optional(),
  explode: z.boolean().optional(),
  schema: schemaObject.default({}),
});
const responseObject = z.object({
  headers: z.record(z.string(), z.union([referenceObject, headerObject])).default({}),
  content,
});
const security = z.array(z.record(z.string(), z.array(z.string())));
const operationObject = z.object({
  ...annotationKeywords,
  operationId: z.string().optional(),
  parameters: z.array(z.union([referenceObject, parameterObject])).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content }).optional(),
  responses: z.record(z.string(), z.union([referenceObject, responseObject])),
  security: security.optional(),
});
const documentObject = z.object({
  security: security.default([]),
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), operationObject)),
  components: z
    .object({
      schemas: z.record(z.string(), schemaObject).default({}),
      headers: z.record(z.string(), headerObject).default({}),
      parameters: z.record(z.string(), parameterObject).default({}),
      responses: z.record(z.string(), responseObject).default({}),
    })
    .default({ schemas: {}, headers: {}, parameters: {}, responses: {} }),
});

export type OpenApiDocument = z.output<typeof documentObject>;
export type ParameterObject = z.output<typeof parameterObject>;
type ResponseObject = z.output<typeof responseObject>;
type OperationObject = z.output<typeof operationObject>;

/** An operation, what it is called, such as `GET /pets/{petId}`, and what it takes over from its document. */
export interface Operation extends OperationObject {
  readonly name: string;
  readonly path: string;
  readonly parameters: ParameterObject[];
  readonly responses: Record<string, ResponseObject>;
  readonly security: z.output<typeof security>;
}

/**
 * Reads the parts of an OpenAPI 3.0 document that are compared.
 *
 * @throws {Error} when they are not as this service writes them
 */
export function readOpenApi(text: string): OpenApiDocument {
  const result = documentObject.safeParse(JSON.parse(text));
  if (!result.success) throw new Error(z.prettifyError(result.error).replaceAll('\n', ' '));
  return result.data;
}

/** The operations by method and path, in which it does not matter what a path's parameters are called. */
export function operationsOf(document: OpenApiDocument): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const name = `${method.toUpperCase()} ${path}`;
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), {
        ...operation,
        name,
        path,
        parameters: operation.parameters.map((parameter) =>
          followed(parameter, document.components.parameters, 'parameters'),
        ),
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [
            status,
            followed(response, document.components.responses, 'responses'),
          ]),
        ),
        security: operation.security ?? document.security,
      });
    }
  }
  return operations;
}

/**
 * What a reference leads to; anything else as it is.
 *
 * @throws {Error} when it leads to no component of the kind
 */
export function followed<T extends object>(
  given: NoInfer<T> | { readonly $ref: string },
  components: Readonly<Record<string, T>>,
  kind: keyof OpenApiDocument['components'],
): T {
  if (!('$ref' in given)) return given;
  const prefix = `#/components/${kind}/`;
  const reference = String(given.$ref);
  const component = reference.startsWith(prefix) ? components[reference.slice(prefix.length)] : undefined;
  if (component === undefined) throw new Error(`The reference ${reference} leads to none of the ${kind}.`);
  return component;
}
