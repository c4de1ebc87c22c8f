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

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      engine: BasePlugin<Types>;
    }
    // Merging needs the same type parameters as the original interfaces.
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
      /** Such as `books:write`. Required for each mutation; `read` by default for queries and subscriptions. */
      scope?: string;
      /** Of the text that it returns: those of the input that the text comes from. */
      bounds?: TextBounds;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      lifecycle?: Declared;
      bounds?: Bounds;
      /** Whether an optional field of an input object accepts null, to remove its value. */
      nullRemoves?: boolean;
    }
    export interface EnumValueConfig<Types extends SchemaTypes> {
      lifecycle?: Declared;
    }
  }
}
