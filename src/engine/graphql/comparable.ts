import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from '../operation/fragments.ts';

/**
 * How many selections a document may have when its fragments are written out, those of all its operations together, and
 * how many pairs of them may stand in one place.
 */
const MAX_SELECTIONS = 25_000;
const MAX_PAIRS = 25_000;
/** How deep selections may lie within selections, those of fragments too: more than fields may. */
const MAX_NESTING = 100;

const TOO_MANY_ALIKE = 'The document repeats too many fields in one place. Select each field once.';

/** One place in the answer. */
interface Place {
  readonly within: Map<string, Place>;
  readonly fragments: Set<string>;
  /** How often it is selected. */
  times: number;
}

/**
 * What makes a document too much work to be validated: validation compares each two fields that have one name in one
 * place, and each two fragments, and has no time to do so for all that 5,000 tokens can hold. Undefined for a document
 * that is not.
 */
export function tooComplex(document: DocumentNode): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  const reached = new Set<string>();
  const around = new Set<string>();
  let [selections, pairs] = [0, 0];
  try {
    for (const node of document.definitions) {
      if (node.kind === Kind.OPERATION_DEFINITION) visit(node.selectionSet, newPlace(), 1);
    }
    // Those that no operation has are a fault that is told in the end; they are compared all the same.
    for (const [name, { selectionSet }] of fragments) {
      if (!reached.has(name)) visit(selectionSet, newPlace(), 1);
    }
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }

  function visit(set: SelectionSetNode, place: Place, depth: number): void {
    if (depth > MAX_NESTING) throw tooMuch(`is nested more than ${MAX_NESTING} selections deep`);
    for (const node of set.selections) {
      if (++selections > MAX_SELECTIONS) {
        throw tooMuch(`has more than ${MAX_SELECTIONS} fields when its fragments are expanded`);
      }
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, place, depth + 1);
      else if (node.kind === Kind.FRAGMENT_SPREAD) visitFragment(node.name.value, place, depth);
      else {
        const inner = placeWithin(place, (node.alias ?? node.name).value);
        compare(inner.times++);
        if (node.selectionSet !== undefined) visit(node.selectionSet, inner, depth + 1);
      }
    }
  }

  /** Written out once in each place, as it is compared. */
  function visitFragment(name: string, place: Place, depth: number): void {
    if (around.has(name)) throw new GraphQLError(`Cannot spread fragment "${name}" within itself.`);
    reached.add(name);
    // Each time: that a pair has been compared before is found out anew.
    compare(place.fragments.size);
    if (place.fragments.has(name)) return;
    place.fragments.add(name);
    const fragment = fragments.get(name);
    if (fragment === undefined) return;
    around.add(name);
    visit(fragment.selectionSet, place, depth + 1);
    around.delete(name);
  }

  function compare(others: number): void {
    pairs += others;
    if (pairs > MAX_PAIRS) throw new GraphQLError(TOO_MANY_ALIKE);
  }
}

function tooMuch(what: string): GraphQLError {
  return new GraphQLError(`The document ${what}.`, { extensions: { code: 'INVALID_ARGUMENT' } });
}

function newPlace(): Place {
  return { within: new Map(), fragments: new Set(), times: 0 };
}

function placeWithin({ within }: Place, name: string): Place {
  const known = within.get(name);
  if (known !== undefined) return known;
  const place = newPlace();
  within.set(name, place);
  return place;
}
