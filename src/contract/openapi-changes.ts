import type { Change } from './change.ts';
import type { OpenApiDocument, OpenApiElement } from './openapi-elements.ts';
import { RULES } from './openapi-rules.ts';

const STABILITY_HEADERS = ['API-Stability', 'API-Client', 'API-Lifecycle'];
const DEPRECATION_HEADERS = [...STABILITY_HEADERS, 'Deprecation', 'Sunset', 'Warning', 'Link'];
/** Of responses, clients need no defaults; they skip unknown properties, and get no more rows than they ask for. */
const OF_REQUESTS = ['default', 'additionalProperties', 'maxItems'];

/**
 * How requests that the base allowed, or the responses to them, differ, annotations aside. What several operations
 * share is one change.
 */
export function openApiChanges(base: OpenApiDocument, head: OpenApiDocument): Change[] {
  const changes = new Map<string, Change & { readonly operations: readonly string[] }>();
  const operations = childrenByKey(head);
  for (const [key, operation] of childrenByKey(base)) {
    for (const change of operationChanges(operation, operations.get(key) ?? head.component(operation.key))) {
      const identity = [change.kind, change.coordinate, change.what].join('\n');
      const others = changes.get(identity)?.operations ?? [];
      const named = operation.keyword === 'paths' ? [operation.coordinate] : [];
      changes.set(identity, { ...change, operations: [...new Set([...others, ...named])] });
    }
  }
  return [...changes.values()];
}

/** The head must accept every request that the base did, and clients of the base must understand every response. */
function operationChanges(operation: OpenApiElement, head: OpenApiElement | undefined): Change[] {
  const { stability, deprecation } = operation.annotation ?? {};
  const lifecycleHeaders = deprecation ? DEPRECATION_HEADERS : stability ? STABILITY_HEADERS : [];
  const seen = new Set<string>();
  return compare(operation, head, 'the API');

  function compare(was: OpenApiElement, is: OpenApiElement | undefined, parent: string): Change[] {
    const { direction, coordinate, json } = was;
    if (is === undefined) {
      // These headers come with the annotation of the operation, and go with it.
      return lifecycleHeaders.includes(String(json.name)) ? [] : existenceChange(was, parent, 'gone');
    }
    const pair = `${direction} ${coordinate} ${is.coordinate}`;
    if (was.isType && seen.has(pair)) return [];
    seen.add(pair);
    const [before, after] = [childrenByKey(was), childrenByKey(is)];
    return [
      ...keywordChanges(was, is, parent),
      ...[...before].flatMap(([key, child]) => compare(child, after.get(key), coordinate)),
      ...[...after].flatMap(([key, child]) => (before.has(key) ? [] : existenceChange(child, coordinate, 'new'))),
    ];
  }
}

function keywordChanges(
  { coordinate, direction, json: was }: OpenApiElement,
  { json: is }: OpenApiElement,
  parent: string,
): Change[] {
  const [wide, narrow] = direction === 'request' ? [is, was] : [was, is];
  return Object.entries(RULES).flatMap(([keyword, allows]) => {
    if (direction === 'response' && OF_REQUESTS.includes(keyword)) return [];
    if (allows(wide[keyword], narrow[keyword])) return [];
    const kind = keyword === 'default' ? 'surprise' : 'break';
    const isNewlyRequired = keyword === 'required' && direction === 'request';
    return [
      {
        kind,
        coordinate,
        parent,
        isNewlyRequired,
        what: `Its ${keyword} changed from ${show(was[keyword])} to ${show(is[keyword])}.`,
      },
    ];
  });
}

/** The change if only one of the documents has an element. */
function existenceChange(element: OpenApiElement, parent: string, state: 'gone' | 'new'): Change[] {
  const kind = effectsOf(element)[state];
  const required = state === 'new' && element.json.required === true ? ' and required' : '';
  const what = `${nameOf(element, parent)} is ${state}${required}.`;
  return kind === undefined ? [] : [{ kind, coordinate: element.coordinate, parent, what }];
}

/** What it does to clients when the element is gone, and when it is new. */
function effectsOf({
  keyword,
  key,
  direction,
  json,
}: OpenApiElement): Partial<Record<'gone' | 'new', 'break' | 'surprise'>> {
  const isRequest = direction === 'request';
  switch (keyword) {
    case 'responses':
      // Clients treat an unknown failure as one of its class (RFC 9110, section 15).
      return /^[45]/.test(key) ? { gone: 'surprise' } : { gone: 'break', new: 'surprise' };
    case 'security':
      return {};
    case 'anyOf':
    case 'oneOf':
      return isRequest ? { new: 'break' } : { gone: 'break' };
    case 'enum':
      return isRequest ? { new: 'break' } : { gone: 'surprise' };
    case 'values':
      return isRequest ? { gone: 'break' } : { new: 'surprise' };
    default:
      return { gone: 'break', ...(isRequest && json.required === true && { new: 'break' }) };
  }
}

/** Not every element has a coordinate of its own. */
function nameOf({ keyword, key, coordinate }: OpenApiElement, parent: string): string {
  return ['content', 'headers', 'enum', 'anyOf', 'oneOf'].includes(keyword)
    ? `${key || keyword} of ${parent}`
    : coordinate;
}

function childrenByKey({ children }: OpenApiElement): ReadonlyMap<string, OpenApiElement> {
  return new Map(children().map((child) => [`${child.keyword} ${child.key}`, child]));
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
