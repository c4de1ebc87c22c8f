import fc from 'fast-check';
import { openApi } from '../support/contract.ts';
import { hostileValues, identifiers, mostly } from './values.ts';

/** A JSON Schema, as far as the description uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly allOf?: readonly Schema[];
}

/** Values that fit the schema, or nearly: a field too many, too few, or of another type. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, allOf } = schema;
  if ($ref !== undefined) return valuesOf(resolve($ref));
  if (allOf?.[0] !== undefined) return valuesOf(allOf[0]);
  return mostly(fitting(schema), hostileValues);
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.properties !== undefined) return objectsOf(schema.properties);
  if (schema.type === 'array') return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.format === 'date-time') {
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  }
  if (schema.format === 'int64') return identifiers;
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? -2, max: schema.maximum ?? 200 });
  return fc.oneof(fc.constantFrom('Rex', 'Dogs', 'ä'), fc.string({ maxLength: 30 }));
}

function objectsOf(properties: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]));
  const known = fc.record(fields, { requiredKeys: [] });
  const whole = fc.record(fields);
  const more = fc.tuple(whole, fc.string({ maxLength: 8 }), hostileValues).map(([value, name, extra]) => ({
    ...value,
    [name]: extra,
  }));
  return fc.oneof({ weight: 4, arbitrary: whole }, { weight: 2, arbitrary: known }, { weight: 1, arbitrary: more });
}

function resolve(reference: string): Schema {
  const found = reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], openApi);
  return found as Schema;
}
