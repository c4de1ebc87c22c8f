import { z } from 'zod';
import { isLongerThan, isStorable } from '../text.ts';

/**
 * What a value must be beyond its type, declared once on the input field or argument. The check runs on both faces;
 * `accepts` goes into the description, and the JSON Schema words into OpenAPI.
 */
export interface Bounds {
  /** Undefined where the description says it in its own words. */
  readonly accepts: string | undefined;
  readonly jsonSchema: Readonly<Record<string, string | number>>;
  readonly check: z.ZodType;
}

/** Text that can be stored: of `min` to `max` characters, not only white space, without NUL and lone surrogates. */
export function text({ min, max }: { min: number; max: number }): Bounds {
  const length = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const notBlank = min === 0 ? '' : ', not only white space';
  return {
    accepts: length + notBlank,
    jsonSchema: { ...(min > 0 && { minLength: min, pattern: '\\S' }), maxLength: max },
    check: z
      .string()
      .refine(isStorable, 'must not contain NUL or half of a surrogate pair')
      .refine((value) => min === 0 || /\S/.test(value), 'must not be empty or only white space')
      .refine((value) => !isLongerThan(value, max), `must be ${length} long`),
  };
}

/** An integer from `min` to `max`. */
export function integerFrom(min: number, max: number): Bounds {
  const accepts = `${min} to ${max}`;
  return {
    accepts,
    jsonSchema: { minimum: min, maximum: max },
    check: z.number().refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`),
  };
}

/** A cursor: it is checked where its list is known, and never stored. */
export const cursor: Bounds = { accepts: undefined, jsonSchema: {}, check: z.string() };
