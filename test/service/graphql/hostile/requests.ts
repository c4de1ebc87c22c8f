import type { Hostile } from './build.ts';
import { introspection, nesting, repetition } from './documents.ts';
import { fragments } from './fragments.ts';
import { overlaps } from './overlaps.ts';
import { size, variables } from './values.ts';

/** By their kind. */
export const hostileRequests: Readonly<Record<string, readonly Hostile[]>> = {
  nesting,
  repetition,
  fragments,
  overlaps,
  size,
  variables,
  introspection,
};
