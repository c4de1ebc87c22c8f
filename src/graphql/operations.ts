import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Marked } from '../lifecycle/marked.ts';
import { type OperationUses, useFinder } from '../lifecycle/uses.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';

/** An operation with more fields than this takes longer to compile than it saves. */
const MOST_COMPILED = 300;

/** What is worked out once for an operation of a document. */
export interface KnownOperation {
  /** Runs it; compiled from its second run on, for one that never comes again is not worth it. */
  readonly run: Operation;
  /** What it uses of what is marked; the same list each time for the same uses, where variables make no difference. */
  uses(variables: Readonly<Record<string, unknown>>): readonly Marked[];
}

interface Known {
  readonly uses: OperationUses;
  compiled?: Operation;
}

/** Makes the finder of operations. What it knows is kept as long as their document, which is in Yoga's bounded cache. */
export function knownOperations(schema: GraphQLSchema) {
  const findUses = useFinder(schema);
  const known = new WeakMap<DocumentNode, Map<string, Known>>();

  /** @param fields how many it has when its fragments are written out */
  return (document: DocumentNode, name: string | undefined, fields: number): KnownOperation => {
    const ofDocument = known.get(document) ?? new Map<string, Known>();
    known.set(document, ofDocument);
    const before = ofDocument.get(name ?? '');
    const operation: Known = before ?? { uses: findUses(document, name) };
    ofDocument.set(name ?? '', operation);
    if (before !== undefined && fields <= MOST_COMPILED)
      operation.compiled ??= compileOperation(schema, document, name);
    const { uses, compiled } = operation;
    return {
      run: compiled ?? interpretOperation(schema, document, name),
      uses: (variables) => uses.given?.(variables) ?? uses.always,
    };
  };
}
