import SchemaBuilder, {
  BasePlugin,
  type PothosEnumValueConfig,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import { GraphQLSchema, isScalarType } from 'graphql';
import { dateScalar } from '../date.ts';
import { combineAnnotations, type Declared } from './annotation.ts';
import { appliedDirectives, lifecycleDirectives } from './directives.ts';
import { assertLifecycle } from './rules.ts';

class LifecyclePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    return annotated(field, field.pothosOptions.lifecycle);
  }

  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    return annotated(field, field.pothosOptions.lifecycle);
  }

  override onEnumValueConfig(value: PothosEnumValueConfig<Types>): PothosEnumValueConfig<Types> {
    return annotated(value, value.pothosOptions.lifecycle);
  }

  /** Validates the annotations here, because only the whole schema shows whether successors exist. */
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    assertLifecycle(schema);
    const config = schema.toConfig();
    const date = schema.getType(dateScalar.name);
    const directives = lifecycleDirectives(isScalarType(date) ? date : dateScalar);
    return new GraphQLSchema({ ...config, directives: [...config.directives, ...directives] });
  }
}

function annotated<T extends { readonly description?: unknown; readonly extensions?: unknown }>(
  config: T,
  declared: Declared | undefined,
): T {
  if (declared === undefined) return config;
  const annotations = combineAnnotations(declared);
  const extensions = (config.extensions ?? {}) as { readonly directives?: object };
  const { stability, deprecation } = annotations;
  return {
    ...config,
    ...(stability !== 'stable' && { description: `[${stability}] ${config.description ?? ''}`.trimEnd() }),
    ...(deprecation !== undefined && {
      deprecationReason: `${deprecation.why} Use ${deprecation.successor.coordinate} instead. Served until ${deprecation.sunset}.`,
    }),
    extensions: {
      ...extensions,
      lifecycle: declared,
      directives: { ...extensions.directives, ...appliedDirectives(annotations) },
    },
  };
}

SchemaBuilder.registerPlugin('lifecycle', LifecyclePlugin);
