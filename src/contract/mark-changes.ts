import { announces, breaks, type Change, placeOf } from './difference.ts';
import { type Deprecation, isWeaker, type Standings } from './standing.ts';

/**
 * What the marks take back of the base's promises: a thing is less stable than it was, or goes sooner than clients were
 * told. To lift a mark, and to move a sunset further away, takes nothing back.
 */
export function annotationChanges(base: Standings, head: Standings): Change[] {
  return base.coordinates.flatMap((coordinate) => {
    const [was, is] = [base.of(coordinate), head.of(coordinate)];
    if (was === undefined || is === undefined) return [];
    const [ownWas, ownIs] = [base.ownAnnotation(coordinate), head.ownAnnotation(coordinate)];
    const changes: Change[] = [];
    // A field that is marked anew takes what it holds with it; that is said once, of the field.
    if (ownWas.stability !== ownIs.stability && isWeaker(is.stability, was.stability)) {
      changes.push(breaks(placeOf(coordinate), `It was ${was.stability}, and is ${is.stability} now.`));
    }
    const told = ownIs.deprecation;
    if (told?.sunset !== undefined && isSooner(told, was.deprecation)) {
      const before = was.deprecation ? `Before: ${spoken(was.deprecation)}` : 'It was not before.';
      changes.push(announces(placeOf(coordinate), told.sunset, `${spoken(told)} ${before}`));
    }
    return changes;
  });
}

function isSooner(is: Deprecation, was: Deprecation | undefined): boolean {
  if (was?.sunset === undefined || is.sunset === undefined) return true;
  return is.sunset < was.sunset || (is.since !== undefined && was.since !== undefined && is.since > was.since);
}

function spoken({ since, sunset }: Deprecation): string {
  const begins = since === undefined ? 'Deprecated' : `Deprecated since ${since}`;
  return sunset === undefined ? `${begins}, without a sunset.` : `${begins}, served until ${sunset}.`;
}
