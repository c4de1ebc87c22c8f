import { openApi } from '../../../support/contract.ts';

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** An operation, and for a change a request that would succeed. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** What it cannot be without, with its question mark. */
  readonly query: string;
  readonly address: string;
  readonly parameters: readonly Parameter[];
  readonly mediaTypes: readonly string[];
  readonly schema: Schema | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** The rows that `makeRows` creates, in a database of this file's own. */
export const ROWS: Readonly<Record<string, number>> = { petId: 1, ordered: 2, categoryId: 2, orderId: 1, webhookId: 1 };

const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createPet: { name: 'Bello', categoryId: 1, status: 'sold' },
  replacePet: { name: 'Bello', categoryId: 2, status: 'sold' },
  updatePet: { name: 'Bello', categoryId: 2, status: 'sold' },
  createCategory: { name: 'Fish', description: 'Wet.' },
  replaceCategory: { name: 'Fish', description: 'Wet.' },
  updateCategory: { name: 'Birds', description: 'Feathered.' },
  placeOrder: { petId: 1, quantity: 2, shipDate: '2027-01-01T00:00:00Z', complete: true },
  updateOrder: { quantity: 3, shipDate: '2027-01-01T00:00:00Z', complete: true },
  replaceStock: { quantity: 7 },
  createWebhook: { url: 'https://shop.example/', types: ['pet.created'], description: 'New.', enabled: false },
  updateWebhook: { url: 'https://shop.example/', types: ['pet.created'], description: 'New.', enabled: false },
};

/** The queries of the operations that need one. */
const QUERIES: Readonly<Record<string, string>> = { redeliverEvents: '?after=now' };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of the contract. */
export const operations: readonly Operation[] = readOperations();

function readOperations(): Operation[] {
  return Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, Described>>).flatMap(([method, described]) => {
      if (!METHODS.includes(method)) return [];
      const { operationId, parameters = [], requestBody } = described;
      const query = QUERIES[operationId] ?? '';
      const content = Object.entries(requestBody?.content ?? {});
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        query,
        address: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ROWS[name])) + query,
        parameters,
        mediaTypes: content.map(([type]) => type),
        schema: content[0] && resolve(content[0][1].schema),
        body: BODIES[operationId],
      };
    }),
  );
}

/** The schema itself, with its reference resolved and the keywords beside it. */
export function resolve(schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
  if (name !== undefined) return resolve(openApi.components.schemas[name] as Schema);
  return schema.allOf?.[0] === undefined ? schema : { ...resolve(schema.allOf[0]), ...schema };
}
