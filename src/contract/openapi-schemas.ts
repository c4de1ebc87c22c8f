import { isDeepStrictEqual } from 'node:util';
import { breaks, type Change, type Place, placeOf, surprises } from './difference.ts';
import type { OpenApiDocument, SchemaObject } from './openapi-document.ts';
import { EXACT, LOWER_BOUNDS, type Shape, shapeOf, UPPER_BOUNDS, valueName } from './openapi-shape.ts';

/** The documents that are compared. */
export interface Documents {
  readonly base: OpenApiDocument;
  readonly head: OpenApiDocument;
}

/** Where the values of a schema go. */
type Direction = 'request' | 'response';

/** The old and the new shape, and which of the two must not have values that the other lacks. */
interface Pair {
  readonly was: Shape;
  readonly is: Shape;
  readonly narrow: Shape;
  readonly wide: Shape;
}

/** Which values a type or a format has besides those of its own name. */
const TAKES_IN: Readonly<Record<string, string>> = { number: 'integer', int64: 'int32', double: 'float' };

/**
 * How a schema of the base and the one in its place differ. What a request could say it must still be able to say, so
 * the new schema has to take in every value of the old one; for what a response says clients are prepared by the old
 * one, so there it is the other way about.
 *
 * @param place where the schema stands; what changes within a component is said of the component
 */
export function schemaChanges(
  [base, head]: readonly [SchemaObject, SchemaObject],
  place: Place,
  direction: Direction,
  documents: Documents,
): Change[] {
  const seen = new Set<string>();
  return compare(base, head, place);

  function compare(base: SchemaObject, head: SchemaObject, place: Place): Change[] {
    const [was, is] = [shapeOf(base, documents.base), shapeOf(head, documents.head)];
    const pair = direction === 'request' ? { was, is, narrow: was, wide: is } : { was, is, narrow: is, wide: was };
    const atPlace = placeChanges(pair, place, direction);
    if (was.component === undefined || is.component === undefined) return [...atPlace, ...compareShapes(pair, place)];
    const components = `${was.component} ${is.component}`;
    if (seen.has(components)) return atPlace;
    seen.add(components);
    return [...atPlace, ...compareShapes(pair, was.component === is.component ? placeOf(was.component) : place)];
  }

  function compareShapes(pair: Pair, place: Place): Change[] {
    const { was, is, narrow, wide } = pair;
    if (wide.type !== undefined && !takesIn(wide.type, narrow.type)) {
      return [breaks(place, changed('type', was.type, is.type))];
    }
    const within = (name: string) => ({ coordinate: place.coordinate + name, holder: place.coordinate });
    return [
      ...narrowed(pair).map((keyword) => breaks(place, changed(keyword, was[keyword], is[keyword]))),
      ...enumChanges(pair, place, direction),
      ...requiredChanges(pair, place, direction),
      ...Object.entries(was.properties ?? {}).flatMap(([name, property]) => {
        const now = is.properties?.[name];
        return now ? compare(property, now, within(`.${name}`)) : [breaks(within(`.${name}`), 'The property is gone.')];
      }),
      ...(was.items && is.items ? compare(was.items, is.items, within('[]')) : []),
    ];
  }
}

/** What is said beside a component rather than of it. */
function placeChanges({ was, is, narrow, wide }: Pair, place: Place, direction: Direction): Change[] {
  const nullBreaks = narrow.nullable && !wide.nullable;
  const isOtherwise = direction === 'request' && !isDeepStrictEqual(was.default, is.default);
  return [
    ...(nullBreaks
      ? [breaks(place, direction === 'request' ? 'Null is not accepted now.' : 'It may be null now.')]
      : []),
    ...(isOtherwise ? [surprises(place, changed('default', was.default, is.default))] : []),
  ];
}

/** The keywords by which the one shape has values that the other lacks. */
function narrowed({ narrow, wide }: Pair): string[] {
  const number = (shape: Shape, keyword: string, otherwise: number) => Number(shape[keyword] ?? otherwise);
  return [
    ...(wide.format !== undefined && !takesIn(wide.format, narrow.format) ? ['format'] : []),
    ...UPPER_BOUNDS.filter((keyword) => number(wide, keyword, Infinity) < number(narrow, keyword, Infinity)),
    ...LOWER_BOUNDS.filter((keyword) => number(wide, keyword, -Infinity) > number(narrow, keyword, -Infinity)),
    ...EXACT.filter((keyword) => wide[keyword] && !isDeepStrictEqual(wide[keyword], narrow[keyword])),
    ...(wide.items && !narrow.items ? ['items'] : []),
  ];
}

/** A value that answers begin to have is a surprise, as it is in GraphQL; a value that is not accepted now is a break. */
function enumChanges({ was, is, narrow, wide }: Pair, { coordinate }: Place, direction: Direction): Change[] {
  const allowed = wide.enum;
  if (allowed === undefined) return [];
  const tell = (place: Place, values: string) =>
    direction === 'request'
      ? breaks(place, `${values} is not accepted now.`)
      : surprises(place, `${values} may be answered now.`);
  if (narrow.enum === undefined) return [tell(placeOf(coordinate), `Anything but ${allowed.join(', ')}`)];
  const component = was.component === is.component ? was.component : undefined;
  return narrow.enum
    .filter((value) => !allowed.includes(value))
    .map((value) =>
      tell({ coordinate: valueName(coordinate, component, value), holder: coordinate }, `The value ${value}`),
    );
}

function requiredChanges({ was, is, narrow, wide }: Pair, place: Place, direction: Direction): Change[] {
  const isRequest = direction === 'request';
  const closes = isRequest && was.additionalProperties !== false && is.additionalProperties === false;
  return [
    ...(wide.required ?? [])
      .filter((name) => !narrow.required?.includes(name) && (isRequest || name in (is.properties ?? {})))
      .map((name) => {
        const part = { coordinate: `${place.coordinate}.${name}`, holder: place.coordinate };
        return isRequest ? demands(part, name in (was.properties ?? {})) : breaks(part, 'It may be absent now.');
      }),
    ...(closes ? [breaks(place, 'Other properties are not accepted now.')] : []),
  ];
}

/** The break of a parameter or a property that may not be left out. */
export function demands(place: Place, isKnown: boolean): Change {
  return breaks(place, isKnown ? 'It must be given now.' : 'It is new, and must be given.');
}

function takesIn(wide: string, narrow: string | undefined): boolean {
  return wide === narrow || (narrow !== undefined && TAKES_IN[wide] === narrow);
}

function changed(keyword: string, was: unknown, is: unknown): string {
  const shown = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value));
  return `Its ${keyword} changed from ${shown(was)} to ${shown(is)}.`;
}
