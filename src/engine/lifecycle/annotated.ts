import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { type Annotations, combineAnnotations, type Declared } from './annotation.ts';

/** An element with its coordinate: `Query.books`, `Query.books(genre:)`, `NewBook.title`, `Genre.NOVEL`. */
export type Member = { readonly coordinate: string } & (
  | { readonly kind: 'field'; readonly element: GraphQLField<unknown, unknown> }
  | { readonly kind: 'argument'; readonly element: GraphQLArgument }
  | { readonly kind: 'input field'; readonly element: GraphQLInputField }
  | { readonly kind: 'enum value'; readonly element: GraphQLEnumValue }
);

export type Annotated = Member & { readonly annotations: Annotations };

export type Annotatable = Pick<Member['element'], 'extensions'>;

export function membersOf(schema: GraphQLSchema): Member[] {
  return Object.values(schema.getTypeMap()).flatMap((type): Member[] => {
    const nameOf = ({ name }: { readonly name: string }) => `${type.name}.${name}`;
    if (isIntrospectionType(type)) return [];
    if (isEnumType(type)) {
      return type.getValues().map((element) => ({ kind: 'enum value', coordinate: nameOf(element), element }));
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      return fields.map((element) => ({ kind: 'input field', coordinate: nameOf(element), element }));
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((element) => [
      { kind: 'field', coordinate: nameOf(element), element },
      ...element.args.map((arg): Member => {
        return { kind: 'argument', coordinate: `${nameOf(element)}(${arg.name}:)`, element: arg };
      }),
    ]);
  });
}

export function declaredOn({ extensions }: Annotatable): Declared | undefined {
  return extensions.lifecycle as Declared | undefined;
}

export function annotationsOf(element: Annotatable): Annotations | undefined {
  const declared = declaredOn(element);
  return declared && combineAnnotations(declared);
}

export function annotatedIn(schema: GraphQLSchema): readonly Annotated[] {
  return membersOf(schema).flatMap((one) => {
    const annotations = annotationsOf(one.element);
    return annotations === undefined ? [] : [{ ...one, annotations }];
  });
}
