import { breaks, type Change, type Place, placeOf } from './difference.ts';
import { answerChanges } from './openapi-answers.ts';
import { type OpenApiDocument, type Operation, operationsOf, type ParameterObject } from './openapi-document.ts';
import { comesWithAnnotation } from './openapi-marks.ts';
import { type Documents, demands, schemaChanges } from './openapi-schemas.ts';
import { parameterName } from './openapi-standings.ts';

/**
 * How requests that the base's document allowed, or what answers them, differ; marks are compared elsewhere. What
 * several operations share is told once, with their names.
 */
export function openApiChanges(base: OpenApiDocument, head: OpenApiDocument): Change[] {
  const now = operationsOf(head);
  const told = new Map<string, { readonly change: Change; readonly operations: Set<string> }>();
  for (const [key, was] of operationsOf(base)) {
    for (const change of operationChanges(was, now.get(key), { base, head })) {
      const identity = [change.kind, change.coordinate, change.what].join('\n');
      const { operations } = told.get(identity) ?? { operations: new Set() };
      told.set(identity, { change, operations: operations.add(was.name) });
    }
  }
  return [...told.values()].map(({ change, operations }) => ({ ...change, operations: [...operations] }));
}

function operationChanges(was: Operation, is: Operation | undefined, documents: Documents): Change[] {
  if (is === undefined) return [breaks(placeOf(was.name), 'The operation is gone.')];
  const isRenamed = was.operationId !== undefined && is.operationId !== was.operationId;
  return [
    ...(isRenamed
      ? [breaks(placeOf(was.name), `It is no longer called ${was.operationId}, as generated clients do.`)]
      : []),
    ...securityChanges(was, is),
    ...parameterChanges(was, is, documents),
    ...bodyChanges(was, is, documents),
    ...answerChanges(was, is, documents),
  ];
}

/** Of the alternatives each may ask for several credentials, and the empty one for none. */
function securityChanges({ name, security: was }: Operation, { security: is }: Operation): Change[] {
  const isOpen = is.length === 0;
  const isRejected = (offered: object) => !is.some((asked) => Object.keys(asked).every((scheme) => scheme in offered));
  const rejected = isOpen ? [] : (was.length === 0 ? [{}] : was).filter(isRejected);
  return rejected.map(() => breaks(placeOf(name), 'It asks for credentials that were not needed.'));
}

function parameterChanges(was: Operation, is: Operation, documents: Documents): Change[] {
  const [before, after] = [parametersOf(was), parametersOf(is)];
  const placed = (parameter: ParameterObject) => ({ coordinate: parameterName(was, parameter), holder: was.name });
  return [
    ...[...after]
      .filter(([key, { required }]) => required && !before.get(key)?.required)
      .map(([key, parameter]) => demands(placed(before.get(key) ?? parameter), before.has(key))),
    ...[...before].flatMap(([key, parameter]) => {
      const [now, place] = [after.get(key), placed(parameter)];
      if (now === undefined && parameter.in === 'header' && comesWithAnnotation(parameter.name, was)) return [];
      return now ? keptParameterChanges([parameter, now], place, documents) : [breaks(place, 'The parameter is gone.')];
    }),
  ];
}

function keptParameterChanges(
  [was, is]: readonly [ParameterObject, ParameterObject],
  place: Place,
  documents: Documents,
): Change[] {
  const isWrittenOtherwise = was.style !== is.style || was.explode !== is.explode;
  return [
    ...(isWrittenOtherwise ? [breaks(place, 'It is written otherwise: its style or explode changed.')] : []),
    ...schemaChanges([was.schema, is.schema], place, 'request', documents),
  ];
}

/** The parameters by place and name; those of a path by their position, for their names are not sent. */
function parametersOf({ path, parameters }: Operation): ReadonlyMap<string, ParameterObject> {
  const positionOf = (name: string) => path.split('{').findIndex((part) => part.startsWith(`${name}}`));
  return new Map(
    parameters.map((parameter) => [
      `${parameter.in} ${parameter.in === 'path' ? positionOf(parameter.name) : parameter.name}`,
      parameter,
    ]),
  );
}

function bodyChanges({ name, requestBody: was }: Operation, { requestBody: is }: Operation, documents: Documents) {
  const place = placeOf(name);
  if (is === undefined) return was === undefined ? [] : [breaks(place, 'It takes no body now.')];
  return [
    ...(is.required && !was?.required ? [breaks(place, 'It needs a body now.')] : []),
    ...Object.entries(was?.content ?? {}).flatMap(([mediaType, { schema }]) => {
      const now = is.content[mediaType];
      if (now === undefined) return [breaks(place, `A body of ${mediaType} is not accepted now.`)];
      const body = { coordinate: `${name} (body)`, holder: name };
      return schemaChanges([schema, now.schema], body, 'request', documents);
    }),
  ];
}
