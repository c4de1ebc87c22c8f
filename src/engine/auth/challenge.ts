import { ServiceError } from '../errors.ts';

/** The failures that ask for a credential (RFC 6750, section 3): with an error only where a token came. */
export type Challenge = ReturnType<typeof createChallenge>;

/** @param realm what the credentials are for */
export function createChallenge(realm: string) {
  const bearer = `Bearer realm="${realm}"`;
  return {
    /** For a credential of another kind. */
    otherScheme: (message: string) => unauthenticated(message, bearer),

    /** For a credential that is not good. */
    badToken: (message: string, cause?: unknown) =>
      unauthenticated(message, `${bearer}, error="invalid_token", error_description="${message}"`, cause),

    /** For a caller without a credential. */
    unknownCaller: (scope: string) =>
      unauthenticated(
        `This needs an API key or a token with the scope ${scope}. Send it as Authorization: Bearer ...`,
        `${bearer}, scope="${scope}"`,
      ),

    /** For a caller who is known and lacks the scope. */
    forbidden: (scope: string) =>
      new ServiceError('FORBIDDEN', `This needs the scope ${scope}, which your credential does not have.`, {
        headers: { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` },
      }),
  };
}

function unauthenticated(message: string, challenge: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAUTHENTICATED', message, { cause, headers: { 'www-authenticate': challenge } });
}
