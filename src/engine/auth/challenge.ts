import { ServiceError } from '../errors.ts';

/** The errors that ask for a credential (RFC 6750, section 3); only those for a token have `error` in the challenge. */
export type Challenge = ReturnType<typeof createChallenge>;

/** What `error_description` must not contain (RFC 6750, section 3). */
const NOT_DESCRIPTION = /[^\x20-\x7e]|["\\]/g;

/**
 * @param realm what the credentials are for
 * @param accepted which credentials there are
 */
export function createChallenge(realm: string, accepted: 'an API key' | 'an API key or a token') {
  const bearer = `Bearer realm="${realm}"`;
  const noCredential = `The Authorization field must be Bearer, followed by ${accepted}.`;
  const badToken = (message: string) => {
    const description = message.replaceAll(NOT_DESCRIPTION, '?');
    return unauthenticated(message, `${bearer}, error="invalid_token", error_description="${description}"`);
  };
  return {
    badToken,
    /** For `Bearer` with anything but one credential. */
    noToken: () => badToken(noCredential),
    otherScheme: () => unauthenticated(noCredential, bearer),

    /** For a caller without a credential. */
    unknownCaller: (scope: string) =>
      unauthenticated(
        `This needs ${accepted} with the scope ${scope}. Send it as Authorization: Bearer ...`,
        `${bearer}, scope="${scope}"`,
      ),

    forbidden: (scope: string) =>
      new ServiceError('FORBIDDEN', `This needs the scope ${scope}, which your credential does not have.`, {
        headers: { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` },
      }),
  };
}

function unauthenticated(message: string, challenge: string): ServiceError {
  return new ServiceError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': challenge } });
}
