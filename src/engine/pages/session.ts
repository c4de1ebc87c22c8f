import type { Authentication } from '../auth/authentication.ts';
import { READ } from '../auth/scope.ts';
import { ServiceError } from '../errors.ts';
import { readBytes } from '../http/body.ts';
import type { RequestHeaders } from '../http/headers.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { HttpReply } from '../http/reply.ts';
import type { CpuThrottle } from '../limits/cpu-throttle.ts';

/** The maximum size of the form, in bytes: a key may be percent-encoded there. */
const MAX_FORM = 16_384;
/** The maximum size of a cookie's name and value, in bytes: browsers drop a larger one without a word. */
const MAX_COOKIE = 4_096;

/** The characters of API keys and tokens (RFC 6750, section 2.1): with others, a key could end its cookie or field. */
const CHARACTERS = '[A-Za-z0-9._~+/=-]';
const IS_KEY = new RegExp(`^${CHARACTERS}*$`);

export type PageSession = ReturnType<typeof createPageSession>;

/**
 * Opens a closed page to a browser, which sends no `Authorization` by itself. The API ignores the cookie, which is sent
 * only to this page. The path of the page includes the base path.
 */
export function createPageSession(
  name: string,
  page: string,
  authentication: Pick<Authentication, 'authenticate' | 'authorize'>,
  throttle: Pick<CpuThrottle, 'wait'>,
) {
  const cookie = `${name}-key`;
  const hasKey = new RegExp(`(?:^|; *)${cookie}=(${CHARACTERS}+)`);
  const keptBy = ({ headers }: IncomingRequest) =>
    headers.get('authorization') === null ? hasKey.exec(headers.get('cookie') ?? '')?.[1] : undefined;
  return {
    /** The header fields of the request, with the key that the browser keeps as its `Authorization`. */
    headersOf(request: IncomingRequest): RequestHeaders {
      const key = keptBy(request);
      return key === undefined ? request.headers : withKey(request, key);
    },

    isOpenBy: (request: IncomingRequest): boolean => keptBy(request) !== undefined,

    /**
     * Responds to the form with a key, or with an empty one to forget it: sets a cookie (RFC 6265) for this page only,
     * and redirects to the page. A form on another site can do no harm: it could only open this page, with its own key.
     *
     * @throws {ServiceError} UNAUTHENTICATED or FORBIDDEN if the key does not open the page, INVALID_ARGUMENT if the page
     *   is open to all and this is no key, PAYLOAD_TOO_LARGE
     */
    async answer(request: IncomingRequest): Promise<HttpReply> {
      const body = await readBytes(request, MAX_FORM);
      await request.meter.waitFor(throttle, 1);
      const key = body && (new URLSearchParams(body.toString('utf8')).get('key')?.trim() ?? '');
      if (key === undefined || cookie.length + key.length > MAX_COOKIE) {
        const message = `The key is too long for a cookie: the maximum is ${MAX_COOKIE - cookie.length} characters.`;
        throw new ServiceError('PAYLOAD_TOO_LARGE', message, { headers: { connection: 'close' } });
      }
      if (key !== '')
        authentication.authorize(await authentication.authenticate(request, withKey(request, key)), [READ]);
      if (!IS_KEY.test(key)) {
        throw new ServiceError('INVALID_ARGUMENT', 'The key has characters that no API key or token has.');
      }
      const secure = request.origin.startsWith('https:') ? '; Secure' : '';
      const age = key === '' ? '; Max-Age=0' : '';
      const kept = `${cookie}=${key}; Path=${page}; HttpOnly; SameSite=Strict${secure}${age}`;
      return { status: 303, headers: ['location', page, 'set-cookie', kept], body: null };
    },
  };
}

function withKey({ headers }: IncomingRequest, key: string): RequestHeaders {
  return { get: (name) => (name === 'authorization' ? `Bearer ${key}` : headers.get(name)) };
}
