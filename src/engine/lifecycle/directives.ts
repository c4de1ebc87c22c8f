import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import { combineAnnotations, type Declared, PROMISES } from './annotation.ts';

const LOCATIONS = [
  DirectiveLocation.FIELD_DEFINITION,
  DirectiveLocation.ARGUMENT_DEFINITION,
  DirectiveLocation.INPUT_FIELD_DEFINITION,
  DirectiveLocation.ENUM_VALUE,
];

const stabilityLevel = new GraphQLEnumType({
  name: 'StabilityLevel',
  description: 'How far what is not stable can be relied on.',
  values: {
    EXPERIMENTAL: { description: PROMISES.experimental },
    BETA: { description: PROMISES.beta },
  },
});

const required = (type: GraphQLEnumType | GraphQLScalarType, description: string) => {
  return { type: new GraphQLNonNull(type), description };
};

/** @param date the schema's own `Date` scalar, because a schema may have only one type of a name */
export function lifecycleDirectives(date: GraphQLScalarType): readonly GraphQLDirective[] {
  return [
    new GraphQLDirective({
      name: 'stability',
      description: 'How far it can be relied on. What has no level is as stable as what uses it, and otherwise stable.',
      locations: LOCATIONS,
      args: { level: required(stabilityLevel, 'The level.') },
    }),
    new GraphQLDirective({
      name: 'sunset',
      description: 'Until when what is deprecated is served.',
      locations: LOCATIONS,
      args: {
        on: required(date, 'The last day on which it works, in UTC.'),
        since: required(date, 'The first day on which it is deprecated, in UTC.'),
        successor: required(GraphQLString, 'The schema coordinate of its replacement.'),
      },
    }),
  ];
}

/** Adds the declared annotations to an element: to its description, deprecation reason, extensions and directives. */
export function annotate<T extends { readonly description?: unknown; readonly extensions?: unknown }>(
  config: T,
  declared: Declared | undefined,
): T {
  if (declared === undefined) return config;
  const { stability, deprecation } = combineAnnotations(declared);
  const extensions = (config.extensions ?? {}) as { readonly directives?: object };
  return {
    ...config,
    ...(stability !== 'stable' &&
      config.description != null && { description: `[${stability}] ${config.description}` }),
    ...(deprecation !== undefined && {
      deprecationReason: `${deprecation.why} Use ${deprecation.successor.coordinate} instead. Served until ${deprecation.sunset}.`,
    }),
    extensions: {
      ...extensions,
      lifecycle: declared,
      // Printers read them from here.
      directives: {
        ...extensions.directives,
        ...(stability !== 'stable' && { stability: { level: stability.toUpperCase() } }),
        ...(deprecation !== undefined && {
          sunset: { on: deprecation.sunset, since: deprecation.since, successor: deprecation.successor.coordinate },
        }),
      },
    },
  };
}
