import SchemaBuilder, {
  BasePlugin,
  type FieldRequiredness,
  type InputType,
  type PothosInputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { Bounds } from './bounds.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      input: InputPlugin<Types>;
    }
    // The parameters have to be those of the interface that this adds to.
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** What the value must be beyond its type. */
      bounds?: Bounds;
      /** Whether null may be said for an optional field of an input object, to remove its value. */
      nullRemoves?: boolean;
    }
  }
}

/** Carries the bounds of input fields and arguments into descriptions and extensions. */
export class InputPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { bounds, nullRemoves = false } = field.pothosOptions;
    return {
      ...field,
      ...(bounds !== undefined && { description: `${field.description} Accepts ${bounds.accepts}.` }),
      extensions: { ...field.extensions, bounds, refusesNull: field.kind === 'InputObject' && !nullRemoves },
    };
  }
}

SchemaBuilder.registerPlugin('input', InputPlugin);
