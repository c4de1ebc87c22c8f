import { readFileSync } from 'node:fs';

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly example?: unknown;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly responses: Readonly<Record<string, Response>>;
  readonly [extension: `x-${string}`]: unknown;
  readonly deprecated?: boolean;
}

interface Response {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly schema: Schema } };
}

interface ErrorResponse {
  readonly description: string;
  readonly content?: {
    readonly 'application/json': {
      readonly examples: Readonly<Record<string, { readonly value: { status: number } }>>;
    };
  };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ErrorResponse>>;
  };
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
}

/** The text of a file of `schema`. */
export const committed = (name: string) => readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8');
export const source = committed('openapi.json');
export const document = JSON.parse(source) as Document;
export const schemas = document.components.schemas;
/** Each operation with its method and path. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);
