import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isEnumType,
} from 'graphql';
import type { Member } from '../engine/lifecycle/annotated.ts';
import type { Element, Lifecycle } from './lifecycle.ts';

type Part = Member['element'];

const IN_OPERATIONS = /^(QUERY|MUTATION|SUBSCRIPTION|FIELD|FRAGMENT_\w+|INLINE_FRAGMENT|VARIABLE_DEFINITION)$/;

/** The elements of a printed schema that an operation can reach. */
export function graphqlElements(schema: GraphQLSchema): Element {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const directives = schema.getDirectives().filter(({ locations }) => locations.some((one) => IN_OPERATIONS.test(one)));
  return {
    coordinate: 'schema',
    children: () => [
      ...roots.flatMap((type) => (type ? [typeElement(type)] : [])),
      ...directives.map(({ name }) => ({ coordinate: `@${name}` })),
    ],
  };

  function typeElement(type: GraphQLNamedType): Element {
    const fields: Part[] = 'getFields' in type ? Object.values(type.getFields()) : [];
    const parts = isEnumType(type) ? type.getValues() : fields;
    const interfaces = 'getInterfaces' in type ? type.getInterfaces() : [];
    const possibleTypes = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    return {
      coordinate: type.name,
      isType: true,
      children: () => [
        ...parts.map((part) => partElement(`${type.name}.${part.name}`, part)),
        ...[...interfaces, ...possibleTypes].map(typeElement),
      ],
    };
  }

  function partElement(coordinate: string, part: Part): Element {
    return {
      coordinate,
      annotation: annotationOf(part),
      children: () => [
        ...('args' in part ? part.args : []).map((one) => partElement(`${coordinate}(${one.name}:)`, one)),
        ...('type' in part ? [typeElement(getNamedType(part.type))] : []),
      ],
    };
  }

  function annotationOf(part: Part): Partial<Lifecycle> {
    const [stability, deprecated, sunset] = ['stability', 'deprecated', 'sunset'].map((name) =>
      directiveOn(part, name, schema),
    );
    // Schemas that were printed before there was `@stability` say it in the description.
    const level = stability?.level ?? /^\[(\w+)\] /.exec(part.description ?? '')?.[1]?.toUpperCase();
    return {
      ...(level === 'BETA' && { stability: 'beta' }),
      ...(level === 'EXPERIMENTAL' && { stability: 'experimental' }),
      ...(deprecated && { deprecation: {} }),
      ...(sunset && { deprecation: { since: String(sunset.since), sunset: String(sunset.on) } }),
    };
  }
}

/** The arguments of a directive on an element of a printed schema; undefined if it has none. */
export function directiveOn({ astNode }: Part, name: string, schema: GraphQLSchema) {
  const directive = schema.getDirective(name);
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}
