import { ChangeType, CriticalityLevel, diff, type Change as InspectorChange } from '@graphql-inspector/core';
import { type GraphQLSchema, isRequiredArgument, isRequiredInputField, resolveSchemaCoordinate } from 'graphql';
import type { Change } from './change.ts';

const ANNOTATIONS = /@(stability|sunset|deprecated)\b/;
const DEFAULTS: readonly string[] = [ChangeType.FieldArgumentDefaultChanged, ChangeType.InputFieldDefaultValueChanged];

/** How operations that were valid against the base, or their results, differ, annotations aside. */
export async function graphqlChanges(base: GraphQLSchema, head: GraphQLSchema): Promise<Change[]> {
  const changes = await diff(base, head);
  return changes.flatMap((change) => {
    const { path = 'schema', message } = change;
    const [coordinate, parent] = coordinateOf(path);
    const kind = kindOf(change, coordinate, head);
    if (kind === undefined || ANNOTATIONS.test(path)) return [];
    return [{ kind, coordinate, parent, what: `${message.replace(/\.$/, '')}.` }];
  });
}

function kindOf(
  { type, criticality }: InspectorChange,
  coordinate: string,
  head: GraphQLSchema,
): 'break' | 'surprise' | undefined {
  if (criticality.level === CriticalityLevel.Breaking) return 'break';
  if (criticality.level === CriticalityLevel.NonBreaking) return undefined;
  // The library doesn't see that a non-null argument without its default becomes required.
  return DEFAULTS.includes(type) && isRequired(coordinate, head) ? 'break' : 'surprise';
}

function isRequired(coordinate: string, schema: GraphQLSchema): boolean {
  const element = resolveSchemaCoordinate(schema, coordinate);
  if (element?.kind === 'InputField') return isRequiredInputField(element.inputField);
  return element?.kind === 'FieldArgument' && isRequiredArgument(element.fieldArgument);
}

/** The schema coordinates of a path, such as `Query.pets.sort` or `NewPet.@oneOf`, and of its parent. */
function coordinateOf(path: string): [coordinate: string, parent: string] {
  const [first = path, member, argument] = path
    .split('.')
    .filter((part, index) => index === 0 || !part.startsWith('@'));
  if (member === undefined) return [first, first];
  const field = `${first}.${member}`;
  return argument === undefined ? [field, first] : [`${field}(${argument}:)`, field];
}
