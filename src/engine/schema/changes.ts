import type { InputFieldRef } from '@pothos/core';
import type { Builder } from './builder.ts';

type Types = Builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** What builds the fields of an input object. */
export type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** The same fields, each of which may be left out. */
type ChangeFields<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends InputFieldRef<Types, infer Shape>
    ? InputFieldRef<Types, Shape | null | undefined>
    : never;
};

/**
 * Makes the fields of a change of the fields of a new row: each may be left out, and null removes a value that a new row may be
 * without.
 *
 * @example
 * const fields = (t: InputFields) => ({ title: t.string({ required: true, bounds, description: 'Its title.' }) });
 * builder.inputType('NewBook', { description: 'A new book.', fields });
 * builder.inputType('BookChanges', { description: 'Changes to a book.', fields: (t) => changing(fields(t)) });
 */
export function changing<Fields extends Readonly<Record<string, InputFieldRef<Types, unknown>>>>(fields: Fields) {
  for (const field of Object.values(fields)) {
    field.updateConfig((config) => {
      const { type, defaultValue, description, pothosOptions } = config;
      const nullRemoves = !type.required && defaultValue === undefined;
      return {
        ...config,
        type: { ...type, required: false },
        defaultValue: undefined,
        description: nullRemoves ? `${description} Null removes it.` : description,
        pothosOptions: { ...pothosOptions, nullRemoves },
      };
    });
  }
  // The types of the configuration do not tell what it is changed to.
  return fields as unknown as ChangeFields<Fields>;
}
