import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isIntrospectionType,
} from 'graphql';
import { type Annotations, combineAnnotations, type Declared } from './annotation.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    lifecycle?: Declared;
  }
  interface GraphQLArgumentExtensions {
    lifecycle?: Declared;
  }
  interface GraphQLInputFieldExtensions {
    lifecycle?: Declared;
  }
  interface GraphQLEnumValueExtensions {
    lifecycle?: Declared;
  }
}

/** What can be annotated. Only fields have `args`, and only arguments and input fields a `defaultValue`. */
export type Element = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField | GraphQLEnumValue;

/** An element with its coordinate: `Query.books`, `Query.books(genre:)`, `NewBook.title`, `Genre.NOVEL`. */
export interface Member {
  readonly coordinate: string;
  readonly element: Element;
}

export interface Annotated extends Member {
  readonly annotations: Annotations;
  /** Whether it is an enum value that fields can return: clients that rely on it do not ask for it. */
  readonly isReturned: boolean;
}

export type Annotatable = Pick<Element, 'extensions'>;

export function membersOf(schema: GraphQLSchema): Member[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  return types.flatMap((type) =>
    elementsOf(type).flatMap((element) => {
      const coordinate = `${type.name}.${element.name}`;
      const args = argumentsOf(element).map((arg) => ({ coordinate: `${coordinate}(${arg.name}:)`, element: arg }));
      return [{ coordinate, element }, ...args];
    }),
  );
}

/** The fields, input fields or enum values of a type. */
export function elementsOf(type: GraphQLNamedType): readonly Element[] {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values<Element>(type.getFields()) : [];
}

export function argumentsOf(element: Element): readonly GraphQLArgument[] {
  return 'args' in element ? element.args : [];
}

export function annotationsOf(element: Annotatable): Annotations | undefined {
  const declared = element.extensions.lifecycle;
  return declared && combineAnnotations(declared);
}

export function annotatedIn(schema: GraphQLSchema): readonly Annotated[] {
  const members = membersOf(schema);
  const returned = members.flatMap(({ element }) => ('args' in element ? getNamedType(element.type) : []));
  const values = new Set<Element>(returned.filter(isEnumType).flatMap((type) => type.getValues()));
  return members.flatMap((one) => {
    const annotations = annotationsOf(one.element);
    return annotations === undefined ? [] : [{ ...one, annotations, isReturned: values.has(one.element) }];
  });
}
