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
import { type Annotation, type Annotations, combineAnnotations } from './annotation.ts';

/** A thing of the schema, by its coordinate: `Query.books`, `Query.books(genre:)`, `NewBook.title`, `Genre.NOVEL`. */
export type Member = { readonly coordinate: string } & (
  | { readonly kind: 'field'; readonly element: GraphQLField<unknown, unknown> }
  | { readonly kind: 'argument'; readonly element: GraphQLArgument }
  | { readonly kind: 'input field'; readonly element: GraphQLInputField }
  | { readonly kind: 'enum value'; readonly element: GraphQLEnumValue }
);

/** A thing that bears marks. */
export type Annotated = Member & { readonly annotations: Annotations };

/** What can bear a mark, as far as the mark is concerned. */
export type Annotatable = Pick<Member['element'], 'extensions'>;

/** Everything in the schema that can bear a mark. */
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

/** What is declared beside a thing of the built schema, as it stands there. */
export function declaredOn({ extensions }: Annotatable): Annotation | readonly Annotation[] | undefined {
  return extensions.lifecycle as Annotation | readonly Annotation[] | undefined;
}

/** The marks of a thing of the built schema. */
export function annotationsOf(element: Annotatable): Annotations | undefined {
  const declared = declaredOn(element);
  return declared && combineAnnotations(declared);
}

/** Everything in the schema that bears a mark. */
export function annotatedIn(schema: GraphQLSchema): readonly Annotated[] {
  return membersOf(schema).flatMap((one) => {
    const annotations = annotationsOf(one.element);
    return annotations === undefined ? [] : [{ ...one, annotations }];
  });
}
