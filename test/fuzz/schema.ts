import fc from 'fast-check';
import { openApi } from '../support/contract.ts';
import { dateTimes, exact, hostileValues, identifiers, loose, rowsOf, type Taste, texts, waits } from './values.ts';

/** The subset of JSON Schema that the description uses. */
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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly allOf?: readonly Schema[];
}

/**
 * Values of the schema: valid ones, or with a field too many, too few, or of another type.
 *
 * @param name of the parameter or property; for an id it selects the existing rows
 */
export function valuesOf(schema: Schema, taste: Taste, name = ''): fc.Arbitrary<unknown> {
  const { $ref, allOf, type, format, properties, items = {} } = schema;
  if ($ref !== undefined) return valuesOf(resolve($ref), taste, name);
  if (allOf?.[0] !== undefined) return valuesOf(allOf[0], taste, name);
  if (schema.enum !== undefined) return taste(fc.constantFrom(...schema.enum));
  if (properties !== undefined) return taste(objectsOf(schema, taste));
  if (type === 'array') return taste(fc.array(valuesOf(items, taste, name), { maxLength: 3 }));
  if (type === 'boolean') return taste(fc.boolean());
  if (format === 'date-time') return taste(dateTimes);
  if (format === 'int64') return taste(taste === exact ? rowsOf(name) : identifiers);
  if (name === 'wait') return taste(taste === exact ? waits.right : waits.any);
  if (type === 'integer') return taste(integersOf(schema, taste));
  return taste(texts(schema.minLength ?? 0, schema.maxLength ?? 30));
}

/** Values with one mistake: in one field of an object, otherwise in the whole value. */
export function nearlyOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return nearlyOf(resolve(schema.$ref));
  const { properties, required = [] } = schema;
  if (properties === undefined) return hostileValues;
  const whole = objectsOf(schema, exact);
  const isWrong = fc
    .tuple(whole, fc.constantFrom(...Object.keys(properties)), hostileValues)
    .map(([value, name, fault]) => ({ ...value, [name]: fault }));
  const isMore = fc
    .tuple(whole, fc.string({ maxLength: 8 }), hostileValues)
    .map(([value, name, extra]) => ({ ...value, [name]: extra }));
  if (required.length === 0) return fc.oneof(isWrong, isMore);
  const isLess = fc
    .tuple(whole, fc.constantFrom(...required))
    .map(([value, name]) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)));
  return fc.oneof(isWrong, isMore, isLess);
}

function objectsOf({ properties = {}, required = [] }: Schema, taste: Taste): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, taste, name)]),
  );
  const known = fc.record(fields, { requiredKeys: [...required] });
  if (taste !== loose) return known;
  const more = fc
    .tuple(known, fc.string({ maxLength: 8 }), hostileValues)
    .map(([value, name, extra]) => ({ ...value, [name]: extra }));
  const less = fc.record(fields, { requiredKeys: [] });
  return fc.oneof({ weight: 4, arbitrary: known }, { weight: 2, arbitrary: less }, { weight: 1, arbitrary: more });
}

/** Small integers if they fit, so that stock lasts for the orders. */
function integersOf({ minimum, maximum }: Schema, taste: Taste): fc.Arbitrary<number> {
  if (taste !== exact) return fc.integer({ min: minimum ?? -2, max: maximum ?? 200 });
  const min = minimum ?? 1;
  const small = fc.integer({ min, max: Math.min(maximum ?? 100, min + 20) });
  return maximum === undefined ? small : fc.oneof({ weight: 9, arbitrary: small }, fc.integer({ min, max: maximum }));
}

function resolve(reference: string): Schema {
  const found = reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], openApi);
  return found as Schema;
}
