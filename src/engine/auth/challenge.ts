import { ServiceError } from '../errors.ts';

/** The errors that ask for a credential (RFC 6750, section 3); only those for a token have `error` in the challenge. */
export type Challenge = ReturnType<typeof createChallenge>;

/** @param realm what the credentials are for */
export function createChallenge(realm: string) {
  const bearer = `Bearer realm="${realm}"`;
  return {
    otherScheme: (message: string) => unauthenticated(message, bearer),

    badToken: (message: string) =>
      unauthenticated(message, `${bearer}, error="invalid_token", error_description="${message}"`),

    /** For a caller without a credential. */
    unknownCaller: (scope: string) =>
      unauthenticated(
        `This needs an API key or a token with the scope ${scope}. Send it as Authorization: Bearer ...`,
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
