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
    if (isIntrospectionType(type)) return [];
    if (isEnumType(type)) {
      return type.getValues().map((element) => {
        return { kind: 'enum value', coordinate: `${type.name}.${element.name}`, element };
      });
    }
    if (isInputObjectType(type)) {
      return Object.values(type.getFields()).map((element) => {
        return { kind: 'input field', coordinate: `${type.name}.${element.name}`, element };
      });
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const coordinate = `${type.name}.${field.name}`;
      const args = field.args.map((element): Member => {
        return { kind: 'argument', coordinate: `${coordinate}(${element.name}:)`, element };
      });
      return [{ kind: 'field', coordinate, element: field }, ...args];
    });
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
