import { ChangeType, CriticalityLevel, diff, type Change as InspectorChange } from '@graphql-inspector/core';
import {
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { Change } from './difference.ts';

const MARKS = /@(stability|sunset|deprecated)\b/;

/** How operations that were valid against the base, or what they answer, differ; marks are compared elsewhere. */
export async function graphqlChanges(base: GraphQLSchema, head: GraphQLSchema): Promise<Change[]> {
  const changes = await diff(base, head);
  return changes.flatMap((change) => {
    const path = change.path ?? 'schema';
    const kind = kindOf(change, head);
    if (kind === undefined || MARKS.test(path)) return [];
    const [coordinate, holder] = coordinateOf(path);
    return [{ kind, coordinate, holder, what: `${change.message.replace(/\.$/, '')}.` }];
  });
}

function kindOf({ type, path, criticality }: InspectorChange, head: GraphQLSchema): 'break' | 'surprise' | undefined {
  if (criticality.level === CriticalityLevel.Breaking) return 'break';
  if (criticality.level === CriticalityLevel.NonBreaking) return undefined;
  // Without its default a non-null argument has to be given, which the library does not see.
  const isDefault =
    type === ChangeType.FieldArgumentDefaultChanged || type === ChangeType.InputFieldDefaultValueChanged;
  return isDefault && path !== undefined && isRequired(path, head) ? 'break' : 'surprise';
}

function isRequired(path: string, schema: GraphQLSchema): boolean {
  const [typeName = '', member = '', name] = path.split('.');
  const type = schema.getType(typeName);
  if (isInputObjectType(type)) {
    const field = type.getFields()[member];
    return field !== undefined && isRequiredInputField(field);
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return false;
  const argument = type.getFields()[member]?.args.find((one) => one.name === name);
  return argument !== undefined && isRequiredArgument(argument);
}

/** The schema coordinate of a path such as `Query.pets.sort` or `NewPet.@oneOf`, and of what that lies in. */
function coordinateOf(path: string): [coordinate: string, holder: string] {
  const [first = path, member, argument] = path
    .split('.')
    .filter((part, index) => index === 0 || !part.startsWith('@'));
  if (member === undefined) return [first, first];
  const field = `${first}.${member}`;
  return argument === undefined ? [field, first] : [`${field}(${argument}:)`, field];
}
