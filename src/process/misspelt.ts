import leven, { closestMatch } from 'leven';

/** How many letters of a name may be wrong; only one in a short name, which would resemble too many others. */
const MAX_WRONG = 2;
const SHORT_NAME = 5;

/** A sentence for each name that is almost that of a setting, such as `DATABASE_ULR`. */
export function misspelt(given: readonly string[], settings: readonly string[]): readonly string[] {
  const known = new Map(settings.map((name) => [plainName(name), name]));
  return given.flatMap((name) => {
    // An operator may set these for PostgreSQL's own clients, such as PGDATABASE.
    if (settings.includes(name) || name.startsWith('PG')) return [];
    const nearest = closestMatch(plainName(name), [...known.keys()], { maxDistance: MAX_WRONG });
    if (nearest === undefined) return [];
    const isNear = nearest.length > SHORT_NAME || leven(plainName(name), nearest) <= 1;
    return isNear ? [`${name} is not a setting; did you mean ${known.get(nearest)}?`] : [];
  });
}

function plainName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

/** Whether production is meant, which would silently be development: open for everyone, with example data. */
export function isAlmostProduction(name: string): boolean {
  const plain = name.trim().toLowerCase();
  const isMeant = ['prod', 'prd', 'live'].includes(plain) || leven(plain, 'production') <= MAX_WRONG;
  return isMeant && name !== 'production';
}
