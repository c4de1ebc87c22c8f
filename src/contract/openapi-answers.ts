import { breaks, type Change, placeOf, surprises } from './difference.ts';
import { followed, type Operation } from './openapi-document.ts';
import { comesWithAnnotation } from './openapi-marks.ts';
import { type Documents, schemaChanges } from './openapi-schemas.ts';

type Answer = Operation['responses'][string];

/** An answer that both descriptions have. */
interface Kept {
  readonly status: string;
  readonly was: Answer;
  readonly is: Answer;
}

/** How the answers of an operation differ: their statuses, media types, headers and schemas. */
export function answerChanges(was: Operation, is: Operation, documents: Documents): Change[] {
  const kept = Object.entries(was.responses).flatMap(([status, answer]) => {
    const now = is.responses[status];
    return now === undefined ? [] : [{ status, was: answer, is: now }];
  });
  const types = lost(kept, 'content').filter(([type]) => !isDescribedOnce(type, documents));
  const gone = [...types, ...lost(kept, 'headers').filter(([name]) => !comesWithAnnotation(name, was))];
  return [
    ...statusChanges(was, is),
    ...gone.map(([name, statuses]) => breaks(placeOf(was.name), `The answers ${statuses} have no ${name} now.`)),
    ...kept.flatMap((answer) => contentChanges(answer, was.name, documents)),
    ...kept.flatMap((answer) => headerChanges(answer, was.name, documents)),
  ];
}

/**
 * A success may not become another; a failure may, for clients go by the class of one that they don't know (RFC 9110,
 * section 15).
 */
function statusChanges({ name, responses: was }: Operation, { responses: is }: Operation): Change[] {
  const gone = Object.keys(was).filter((status) => !(status in is));
  const added = Object.keys(is).filter((status) => !(status in was) && isSuccess(status));
  return [
    ...gone.map((status) => (isSuccess(status) ? breaks : surprises)(placeOf(name), `The answer ${status} is gone.`)),
    ...added.map((status) => surprises(placeOf(name), `The answer ${status} is new.`)),
  ];
}

function contentChanges({ status, was, is }: Kept, operation: string, documents: Documents): Change[] {
  return Object.entries(was.content).flatMap(([mediaType, { schema }]) => {
    const now = is.content[mediaType];
    const place = { coordinate: `${operation} (${status})`, holder: operation };
    return now === undefined ? [] : schemaChanges([schema, now.schema], place, 'response', documents);
  });
}

function headerChanges({ was, is }: Kept, operation: string, documents: Documents): Change[] {
  return Object.entries(was.headers).flatMap(([name, header]) => {
    const now = is.headers[name];
    if (now === undefined) return [];
    const place = { coordinate: `${operation} (header ${name} of answers)`, holder: operation };
    const [before, after] = [
      followed(header, documents.base.components.headers, 'headers'),
      followed(now, documents.head.components.headers, 'headers'),
    ];
    return schemaChanges([before.schema, after.schema], place, 'response', documents);
  });
}

/** Problem details are answered on request by each operation, and may be described for all of them by a schema. */
function isDescribedOnce(mediaType: string, { head }: Documents): boolean {
  return mediaType === 'application/problem+json' && 'Problem' in head.components.schemas;
}

/** The media types or headers that are gone, each with the statuses of the answers that had it. */
function lost(kept: readonly Kept[], part: 'content' | 'headers'): [name: string, statuses: string][] {
  const statuses = new Map<string, string[]>();
  for (const { status, was, is } of kept) {
    for (const name of Object.keys(was[part]).filter((name) => !(name in is[part]))) {
      statuses.set(name, [...(statuses.get(name) ?? []), status]);
    }
  }
  return [...statuses].map(([name, all]) => [name, all.join(', ')]);
}

function isSuccess(status: string): boolean {
  return !/^[45]/.test(status);
}
