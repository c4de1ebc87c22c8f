import { malformedFields } from './fields.ts';
import { malformedFraming } from './framing.ts';
import { malformedLines } from './lines.ts';
import { strangers } from './strangers.ts';

/** Malformed requests, one character for each byte, by the malformed part. */
export const malformedRequests: Readonly<Record<string, readonly string[]>> = {
  ...malformedLines,
  ...malformedFields,
  ...malformedFraming,
  ...strangers,
};
