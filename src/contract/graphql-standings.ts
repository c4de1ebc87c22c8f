import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
} from 'graphql';
import { isDate } from '../engine/date.ts';
import { type Annotation, STABLE, type Standing, Standings, standingWithin } from './standing.ts';

/** A field, an argument, an input field or an enum value, as far as its mark is concerned. */
interface Annotated {
  readonly description?: string | null | undefined;
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined;
}

const IN_OPERATIONS = /^(QUERY|MUTATION|SUBSCRIPTION|FIELD|FRAGMENT_\w+|INLINE_FRAGMENT|VARIABLE_DEFINITION)$/;

/**
 * The standings of everything in a printed schema that an operation can reach, by schema coordinate. An argument lies
 * within its field; a field, an input field and an enum value lie within their type; and a type stands as high as the
 * most that is promised of a field or argument that uses it.
 *
 * @throws {Error} when a mark has an invalid date
 */
export function graphqlStandings(schema: GraphQLSchema): Standings {
  const standings = new Standings();
  standings.raise('schema', STABLE);
  for (const directive of schema.getDirectives()) {
    if (isForOperations(directive)) standings.raise(`@${directive.name}`, STABLE);
  }
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (root) raiseType(root, STABLE);
  }
  return standings;

  function raiseType(type: GraphQLNamedType, standing: Standing): void {
    if (!standings.raise(type.name, standing)) return;
    if (isEnumType(type)) {
      for (const value of type.getValues()) raisePart(`${type.name}.${value.name}`, value, standing);
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) raiseUse(`${type.name}.${field.name}`, field, standing);
    }
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) raiseField(`${type.name}.${field.name}`, field, standing);
      for (const protocol of type.getInterfaces()) raiseType(protocol, standing);
    }
    if (isInterfaceType(type)) {
      const { objects, interfaces } = schema.getImplementations(type);
      for (const one of [...objects, ...interfaces]) raiseType(one, standing);
    }
    if (isUnionType(type)) {
      for (const member of type.getTypes()) raiseType(member, standing);
    }
  }

  function raiseField(coordinate: string, field: GraphQLField<unknown, unknown>, holder: Standing): void {
    const standing = raiseUse(coordinate, field, holder);
    for (const argument of field.args) raiseUse(`${coordinate}(${argument.name}:)`, argument, standing);
  }

  function raiseUse(
    coordinate: string,
    user: (Annotated & Pick<GraphQLInputField, 'type'>) | GraphQLField<unknown, unknown>,
    holder: Standing,
  ): Standing {
    const standing = raisePart(coordinate, user, holder);
    raiseType(getNamedType(user.type), standing);
    return standing;
  }

  function raisePart(coordinate: string, part: Annotated, holder: Standing): Standing {
    const own = readAnnotation(coordinate, part);
    const standing = standingWithin(own, holder);
    standings.raise(coordinate, standing, own);
    return standing;
  }
}

function isForOperations({ locations }: GraphQLDirective): boolean {
  return locations.some((location) => IN_OPERATIONS.test(location));
}

/**
 * The mark of one part of a schema, read from its directives as they are printed. Where `@stability` is missing the
 * description tells of it, as it does in introspection: schemas that were printed before the directive had no more.
 */
function readAnnotation(coordinate: string, { astNode, description }: Annotated): Annotation {
  const find = (name: string) => astNode?.directives?.find((directive) => directive.name.value === name);
  const [stability, deprecated, sunset] = [find('stability'), find('deprecated'), find('sunset')];
  const level = stability ? argumentOf(stability, 'level') : /^\[(\w+)\] /.exec(description ?? '')?.[1]?.toUpperCase();
  return {
    stability: level === 'BETA' ? 'beta' : level === 'EXPERIMENTAL' ? 'experimental' : undefined,
    deprecation: sunset
      ? { since: dayIn(coordinate, sunset, 'since'), sunset: dayIn(coordinate, sunset, 'on') }
      : deprecated && {},
  };
}

function dayIn(coordinate: string, directive: ConstDirectiveNode, name: string): string {
  const text = argumentOf(directive, name) ?? '';
  if (!isDate(text))
    throw new Error(`${coordinate} has @sunset(${name}: "${text}"), which is no day such as 2026-07-01.`);
  return text;
}

function argumentOf({ arguments: all = [] }: ConstDirectiveNode, name: string): string | undefined {
  const value: ConstArgumentNode['value'] | undefined = all.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}
