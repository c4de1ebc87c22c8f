import { getDirectiveExtensions } from '@graphql-tools/utils';
import { type GraphQLNamedType, type GraphQLSchema, getNamedType, isAbstractType } from 'graphql';
import { argumentsOf, elementsOf, type Element as Part } from '../engine/lifecycle/annotated.ts';
import type { Element, Lifecycle } from './lifecycle.ts';

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
    const interfaces = 'getInterfaces' in type ? type.getInterfaces() : [];
    const possibleTypes = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    return {
      coordinate: type.name,
      isType: true,
      children: () => [
        ...elementsOf(type).map((part) => partElement(`${type.name}.${part.name}`, part)),
        ...[...interfaces, ...possibleTypes].map(typeElement),
      ],
    };
  }

  function partElement(coordinate: string, part: Part): Element {
    return {
      coordinate,
      annotation: annotationOf(part),
      children: () => [
        ...argumentsOf(part).map((one) => partElement(`${coordinate}(${one.name}:)`, one)),
        ...('type' in part ? [typeElement(getNamedType(part.type))] : []),
      ],
    };
  }

  function annotationOf(part: Part): Partial<Lifecycle> {
    const { stability: [stability] = [], deprecated, sunset: [sunset] = [] } = getDirectiveExtensions(part, schema);
    return {
      ...(stability?.level === 'BETA' && { stability: 'beta' }),
      ...(stability?.level === 'EXPERIMENTAL' && { stability: 'experimental' }),
      ...(deprecated && { deprecation: {} }),
      ...(sunset && { deprecation: { since: String(sunset.since), sunset: String(sunset.on) } }),
    };
  }
}
