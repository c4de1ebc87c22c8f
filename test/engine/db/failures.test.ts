import { constants } from 'node:os';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { DatabaseError } from '../../../src/engine/db/failures.ts';
import { failureFrom } from '../../../src/engine/db/server.ts';

/** What a server has reported, as the driver gives it. */
function reported(code: string, constraint_name?: string): unknown {
  return failureFrom(Object.assign(new postgres.PostgresError('It says so.'), { code, constraint_name }));
}

/** What the system, the driver or TLS says of a connection. */
function ofConnection(code: string): unknown {
  return failureFrom(Object.assign(new Error(`write ${code}`), { code }));
}

const UNAVAILABLE = { code: 'UNAVAILABLE', status: 503, headers: { 'retry-after': '1' } };
const TIMEOUT = { code: 'TIMEOUT', status: 504, headers: { 'retry-after': '1' } };

describe('a connection that fails is 503 with Retry-After', () => {
  // EPIPE is among them, and four others, which look like an SQLSTATE.
  test.each(Object.keys(constants.errno))('by %s, an error of the system', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])('by %s, as its name is looked up', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each([
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECTION_ENDED',
    'CONNECT_TIMEOUT',
    'AUTH_TYPE_NOT_IMPLEMENTED',
    'SASL_SIGNATURE_MISMATCH',
  ])('by %s of the driver', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each([
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'ERR_STREAM_DESTROYED',
  ])('by %s of TLS and streams', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test('by all addresses of a name', () => {
    const rejected = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(failureFrom(Object.assign(new AggregateError([rejected]), { code: 'ECONNREFUSED' }))).toMatchObject(
      UNAVAILABLE,
    );
  });
});

describe('what a server reports of itself is 503 with Retry-After', () => {
  test.each([
    ['08006', 'the connection has failed'],
    ['08P01', 'the protocol is violated'],
    ['53000', 'it has too few resources'],
    ['53100', 'its disk is full'],
    ['53200', 'it is out of memory'],
    ['53300', 'it has too many connections'],
    ['57P01', 'an operator ends the connection'],
    ['57P02', 'it crashes'],
    ['57P03', 'it is starting up'],
    ['57P05', 'the session was idle for too long'],
    ['58000', 'its system fails'],
    ['58030', 'its disk fails'],
    ['25006', 'it is a standby'],
    ['25P03', 'the transaction was idle for too long'],
    ['25P04', 'the transaction took too long'],
    ['28000', 'it lets us in no more'],
    ['28P01', 'the password has changed'],
    ['3D000', 'the database is gone'],
  ])('%s: %s', (state) => {
    expect(reported(state)).toMatchObject(UNAVAILABLE);
  });

  test('55P03: a row is locked for longer than a statement waits', () => {
    expect(reported('55P03')).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('the same rows') });
  });

  test('57014, a statement that takes too long, is 504', () => {
    expect(reported('57014')).toMatchObject(TIMEOUT);
  });
});

describe('what a server reports of a statement is told by its SQLSTATE and constraint', () => {
  test.each(['22003', '22P05', '23503', '23505', '23514', '40001', '40P01', '42601', '42P01', '42501', 'XX000'])(
    '%s',
    (state) => {
      const failure = reported(state, 'a_constraint');
      expect(failure).toBeInstanceOf(DatabaseError);
      expect(failure).toMatchObject({ state, constraint: 'a_constraint' });
    },
  );
});

describe('a mistake of our own stays what it is', () => {
  test.each([
    Object.assign(new Error('UNDEFINED_VALUE: Undefined values are not allowed'), { code: 'UNDEFINED_VALUE' }),
    Object.assign(new Error('MAX_PARAMETERS_EXCEEDED: too many'), { code: 'MAX_PARAMETERS_EXCEEDED' }),
    Object.assign(new TypeError('It must be a string.'), { code: 'ERR_INVALID_ARG_TYPE' }),
    new TypeError('undefined is not a function'),
  ])('%s', (error) => {
    expect(failureFrom(error)).toBe(error);
  });
});
