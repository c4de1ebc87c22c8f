import type {
  BasePlugin,
  FieldNullability,
  FieldRequiredness,
  InputFieldMap,
  InputType,
  SchemaTypes,
  TypeParam,
} from '@pothos/core';
import type { Declared } from '../lifecycle/annotation.ts';
import type { Bounds, TextBounds } from './bounds.ts';

/*
 * The options that the plugin of the engine adds to fields, arguments and enum values.
 */

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      engine: BasePlugin<Types>;
    }
    // Declaration merging needs the same type parameters as the original interfaces.
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** How far the field can be relied on: `beta()`, `experimental()`, `deprecated({...})`, or a list of two. */
      lifecycle?: Declared;
      /**
       * The scope that a caller needs, such as `books:write`. Required for each mutation; `read` by default for
       * queries and subscriptions.
       */
      scope?: string;
      /** The bounds of the text that it returns: those of the input that the text comes from. */
      bounds?: TextBounds;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      lifecycle?: Declared;
      /** The constraints of the value beyond its type. */
      bounds?: Bounds;
      /** Whether an optional field of an input object accepts null, to remove its value. */
      nullRemoves?: boolean;
    }
    export interface EnumValueConfig<Types extends SchemaTypes> {
      lifecycle?: Declared;
    }
  }
}
