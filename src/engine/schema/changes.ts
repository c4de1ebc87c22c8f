import type { InputFieldRef } from '@pothos/core';
import type { Declared } from '../lifecycle/annotation.ts';
import type { Builder, Types } from './builder.ts';

/** The builder of the fields of an input object. */
export type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

export type InputFieldRefs = Readonly<Record<string, InputFieldRef<Types, unknown>>>;

export type ChangeFields<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends InputFieldRef<Types, infer Shape>
    ? InputFieldRef<Types, Shape | null | undefined>
    : never;
};

/**
 * Makes the input fields of a partial update from those of a new row: each is optional, and null removes a value that
 * is optional in a new row and has no default there, unless the field says `nullRemoves: false`. As in a new row, the
 * store sets a field that is null to the default of its column.
 *
 * @example
 * const fields = (t: InputFields) => ({ title: t.string({ required: true, bounds, description: 'Its title.' }) });
 * builder.inputType('NewBook', { description: 'A new book.', fields });
 * builder.inputType('BookChanges', { description: 'Changes to a book.', fields: (t) => changing(fields(t)) });
 */
export function changing<Fields extends InputFieldRefs>(fields: Fields) {
  for (const field of Object.values(fields)) {
    field.updateConfig((config) => {
      const { type, defaultValue, description, pothosOptions, parentType } = config;
      const { lifecycle } = pothosOptions;
      const { nullRemoves = !type.required && defaultValue === undefined } = pothosOptions;
      return {
        ...config,
        type: { ...type, required: false },
        defaultValue: undefined,
        description: nullRemoves ? `${description} Null removes it.` : description,
        pothosOptions: {
          ...pothosOptions,
          nullRemoves,
          ...(lifecycle && { lifecycle: withSuccessors(lifecycle, parentType, fields) }),
        },
      };
    });
  }
  // The types of updateConfig do not reflect the change.
  return fields as unknown as ChangeFields<Fields>;
}

/** A successor among the fields of the new row becomes that of the same name in the object. */
function withSuccessors(declared: Declared, parent: string, fields: InputFieldRefs): Declared {
  return [declared].flat().map((annotation) => {
    if (annotation.level !== 'deprecated') return annotation;
    const [, name = ''] = annotation.successor.coordinate.split('.');
    return name in fields ? { ...annotation, successor: { coordinate: `${parent}.${name}` } } : annotation;
  });
}
