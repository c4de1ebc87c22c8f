import { isLongerThan, isStorable } from '../text.ts';

/** The constraints of a value beyond its type, declared once on the input field or argument. */
export interface Bounds {
  /** For the description; undefined if that already says it. */
  readonly accepts: string | undefined;
  readonly jsonSchema: Readonly<Record<string, string | number>>;
  /** What a value of the right type must be instead; undefined if it is within the bounds. */
  check(value: unknown): string | undefined;
}

/** A field that returns such text declares them, too, so that its size is known before it is read. */
export interface TextBounds extends Bounds {
  /** In characters. */
  readonly maxLength: number;
}

/** Text of `min` to `max` characters, not only white space unless `min` is 0, without NUL or lone surrogates. */
export function text({ min, max }: { readonly min: number; readonly max: number }): TextBounds {
  const length = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const notBlank = min === 0 ? '' : ', not only white space';
  return {
    maxLength: max,
    accepts: length + notBlank,
    jsonSchema: { ...(min > 0 && { minLength: min, pattern: '\\S' }), maxLength: max },
    check: (value) => {
      const given = String(value);
      if (!isStorable(given)) return 'must not contain NUL or half of a surrogate pair';
      if (min > 0 && !/\S/.test(given)) return 'must not be empty or only white space';
      return isLongerThan(given, max) || !isLongerThan(given, min - 1) ? `must be ${length} long` : undefined;
    },
  };
}

/** An integer from `min` to `max`. */
export function integerFrom(min: number, max: number): Bounds {
  const accepts = `${min} to ${max}`;
  return {
    accepts,
    jsonSchema: { minimum: min, maximum: max },
    check: (value) => (Number(value) >= min && Number(value) <= max ? undefined : `must be from ${min} to ${max}`),
  };
}

/** A decimal number in text, for a column `numeric` with the same precision and scale, which is at least 1 and below it. */
export function decimal({ precision, scale }: Readonly<Record<'precision' | 'scale', number>>): TextBounds {
  const before = precision - scale;
  const accepts = `a decimal number with at most ${before} digits before the point and ${scale} after it`;
  const pattern = `^-?\\d{1,${before}}(\\.\\d{1,${scale}})?$`;
  const accepted = new RegExp(pattern);
  return {
    maxLength: precision + 2,
    accepts,
    jsonSchema: { pattern },
    check: (value) => (accepted.test(String(value)) ? undefined : `must be ${accepts}`),
  };
}

/** A cursor: its list checks it, and it is never stored. */
export const cursor: Bounds = { accepts: undefined, jsonSchema: {}, check: () => undefined };
