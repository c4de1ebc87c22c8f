import type { FieldNode } from 'graphql';
import type { ReadAheadPlan, ReadAheadPlans, Reference } from '../schema/reference.ts';
import type { SelectedField, Selection } from './selection.ts';

/** Finds what each list of an operation can read ahead: the references that are selected of all of its rows. */
export function readAheadPlans({ fields }: Selection): ReadAheadPlans {
  const plans = new Map<FieldNode, ReadAheadPlan>();
  for (const list of fields) {
    const plan = certain(list).flatMap((field) => {
      if (field.node.name.value === 'nodes') return referencesIn(field);
      if (field.node.name.value !== 'edges') return [];
      return certain(field).flatMap((edge) => (edge.node.name.value === 'node' ? referencesIn(edge) : []));
    });
    if (plan.length > 0) plans.set(list.node, plan);
  }
  return plans;
}

function referencesIn(rows: SelectedField): ReadAheadPlan {
  return certain(rows).flatMap((field) => {
    const reference = field.field.extensions.reference as Reference | undefined;
    return reference === undefined ? [] : [{ reference, within: referencesIn(field) }];
  });
}

/** The fields within, without those that a directive may leave out. */
function certain({ within, conditions }: SelectedField): readonly SelectedField[] {
  return within.filter((field) => field.conditions === conditions);
}
