import { ServiceError } from '../errors.ts';

/** How many values a JSON text may have, including objects, lists and their contents. */
const MAX_VALUES = 5_000;
/** How long a string in it may be, in bytes. */
const MAX_TEXT_LENGTH = 100_000;
/** How long a number in it may be, in digits. */
const MAX_NUMBER_LENGTH = 1_000;
/** A text of this length, in bytes, or less can't exceed any of these limits. */
const SHORT = MAX_NUMBER_LENGTH;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Throws PAYLOAD_TOO_LARGE for JSON that would take long to parse or to answer: a megabyte can hold 500,000 values. */
export function assertReadable(json: Uint8Array): void {
  if (json.length <= SHORT) return;
  let values = 1;
  let digits = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    digits = byte >= ZERO && byte <= NINE ? digits + 1 : 0;
    if (digits > MAX_NUMBER_LENGTH) throw bodyTooLarge(`a number of more than ${MAX_NUMBER_LENGTH} digits`);
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
    if (values > MAX_VALUES) throw bodyTooLarge(`more than ${MAX_VALUES} values`);
  }
}

/** The position of the closing quote of a string, by that of the opening one. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  if (at - start > MAX_TEXT_LENGTH + 1) throw bodyTooLarge(`a string of more than ${MAX_TEXT_LENGTH} bytes`);
  return at;
}

function bodyTooLarge(what: string): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body has ${what}.`);
}
