import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  visit as visitNodes,
} from 'graphql';
import type { ErrorCode } from '../errors.ts';
import { fragmentsOf } from '../operation/selection.ts';

/** The maximum number of selections of a document with its fragments expanded, in all its operations together. */
const MAX_SELECTIONS = 25_000;
/** The maximum number of pairs of selections in one place. */
const MAX_PAIRS = 25_000;
/** The maximum depth of selections, including those of fragments: more than the maximum depth of fields. */
const MAX_NESTING = 100;
/** The maximum depth of values, and of list types. */
const MAX_VALUE_NESTING = 100;

interface MergedSelection {
  readonly selections: Map<string, MergedSelection>;
  readonly fragments: Set<string>;
  /** How often a field selects it. */
  times: number;
}

/**
 * Throws a `GraphQLError` for a document that takes too long to validate. Validation compares all pairs of fields with one
 * name, and of fragments, in one place: 5,000 tokens can hold too many.
 */
export function assertSimple(document: DocumentNode): void {
  if (hasDeepValue(document)) throw tooComplex(`has a value nested more than ${MAX_VALUE_NESTING} levels deep`);
  const fragments = fragmentsOf(document);
  const reached = new Set<FragmentDefinitionNode>();
  const around = new Set<string>();
  let [selections, pairs] = [0, 0];
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) visit(node.selectionSet, newSelection(), 1);
  }
  // Fragments that no operation uses, or with a name that another has, are an error, but validation compares them too.
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION && !reached.has(node)) visit(node.selectionSet, newSelection(), 1);
  }

  function visit(set: SelectionSetNode, at: MergedSelection, depth: number): void {
    if (depth > MAX_NESTING) throw tooComplex(`is nested more than ${MAX_NESTING} selections deep`);
    for (const node of set.selections) {
      if (++selections > MAX_SELECTIONS) {
        throw tooComplex(`has more than ${MAX_SELECTIONS} fields when its fragments are expanded`);
      }
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, at, depth + 1);
      else if (node.kind === Kind.FRAGMENT_SPREAD) visitFragment(node.name.value, at, depth);
      else visitField(node, at, depth);
    }
  }

  function visitField({ alias, name, selectionSet }: FieldNode, at: MergedSelection, depth: number): void {
    const key = (alias ?? name).value;
    const inner = at.selections.get(key) ?? newSelection();
    at.selections.set(key, inner);
    compare(inner.times++);
    if (selectionSet !== undefined) visit(selectionSet, inner, depth + 1);
  }

  /** Expands a fragment once in each place, as validation does. */
  function visitFragment(name: string, at: MergedSelection, depth: number): void {
    if (around.has(name)) throw invalid(`Cannot spread fragment "${name}" within itself.`);
    // Counted for each spread: even to find that a pair was compared before takes time.
    compare(at.fragments.size);
    if (at.fragments.has(name)) return;
    at.fragments.add(name);
    const fragment = fragments.get(name);
    if (fragment === undefined) return;
    reached.add(fragment);
    around.add(name);
    visit(fragment.selectionSet, at, depth + 1);
    around.delete(name);
  }

  function compare(others: number): void {
    pairs += others;
    if (pairs > MAX_PAIRS) throw invalid('The document repeats too many fields in one place. Select each field once.');
  }
}

/** Validation is recursive, and would overflow the stack, at a depth that depends on what was compiled before. */
function hasDeepValue(document: DocumentNode): boolean {
  let depth = 0;
  const nesting = {
    enter: () => (++depth > MAX_VALUE_NESTING ? BREAK : undefined),
    leave: () => {
      depth--;
    },
  };
  visitNodes(document, { ListValue: nesting, ObjectValue: nesting, ListType: nesting });
  return depth > MAX_VALUE_NESTING;
}

function tooComplex(what: string): GraphQLError {
  return invalid(`The document ${what}.`, 'INVALID_ARGUMENT');
}

function invalid(message: string, code: ErrorCode = 'GRAPHQL_VALIDATION_FAILED'): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

function newSelection(): MergedSelection {
  return { selections: new Map(), fragments: new Set(), times: 0 };
}
