import { malformedFields } from './fields.ts';
import { malformedFraming } from './framing.ts';
import { malformedLines } from './lines.ts';
import { strangers } from './strangers.ts';

/** Requests that no proper client sends, a character for each byte, by what is wrong with them. */
export const malformedRequests: Readonly<Record<string, readonly string[]>> = {
  ...malformedLines,
  ...malformedFields,
  ...malformedFraming,
  ...strangers,
};
