import { constants } from 'node:os';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { failureFrom } from '../../../src/engine/db/server.ts';
import { DatabaseError } from '../../../src/engine/db/violations.ts';

/** The failure for an error that the server reports. */
function reported(code: string, constraint_name?: string): unknown {
  return failureFrom(Object.assign(new postgres.PostgresError('It says so.'), { code, constraint_name }));
}

/** The failure for a connection error of the system, the driver or TLS. */
function ofConnection(code: string): unknown {
  return failureFrom(Object.assign(new Error(`write ${code}`), { code }));
}

const UNAVAILABLE = { code: 'UNAVAILABLE', status: 503, headers: { 'retry-after': '1' } };
const TIMEOUT = { code: 'TIMEOUT', status: 504, headers: { 'retry-after': '1' } };

describe('a connection error is 503 with Retry-After', () => {
  // Five of them, such as EPIPE, look like an SQLSTATE.
  test.each(Object.keys(constants.errno))('%s of the system', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])('%s of the DNS lookup', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each([
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECTION_ENDED',
    'CONNECT_TIMEOUT',
    'AUTH_TYPE_NOT_IMPLEMENTED',
    'SASL_SIGNATURE_MISMATCH',
  ])('%s of the driver', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test.each([
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'ERR_STREAM_DESTROYED',
  ])('%s of TLS or streams', (code) => {
    expect(ofConnection(code)).toMatchObject(UNAVAILABLE);
  });

  test('an error of all addresses of a host name', () => {
    const rejected = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(failureFrom(Object.assign(new AggregateError([rejected]), { code: 'ECONNREFUSED' }))).toMatchObject(
      UNAVAILABLE,
    );
  });
});

describe('a failure of the server itself is 503 with Retry-After', () => {
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
    ['25P03', 'the transaction was idle for too long'],
    ['25P04', 'the transaction took too long'],
    ['28000', 'it no longer accepts our login'],
    ['28P01', 'the password has changed'],
    ['3D000', 'the database is gone'],
    ['55000', 'the database accepts no connections'],
  ])('%s: %s', (state) => {
    expect(reported(state)).toMatchObject(UNAVAILABLE);
  });

  test('25006: it is a standby, which can be reached', () => {
    expect(reported('25006')).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('only reads') });
  });

  test('55P03: a row is locked for longer than a statement waits', () => {
    expect(reported('55P03')).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('the same rows') });
  });
});

test('57014, a statement that takes too long, is 504 with Retry-After', () => {
  expect(reported('57014')).toMatchObject(TIMEOUT);
});

describe('a rejected statement keeps its SQLSTATE and constraint', () => {
  test.each(['22003', '22P05', '23503', '23505', '23514', '40001', '40P01', '42601', '42P01', '42501', 'XX000'])(
    '%s',
    (state) => {
      const failure = reported(state, 'a_constraint');
      expect(failure).toBeInstanceOf(DatabaseError);
      expect(failure).toMatchObject({ state, constraint: 'a_constraint' });
    },
  );
});

describe('an error of our own code stays unchanged', () => {
  test.each([
    Object.assign(new TypeError('It must be a string.'), { code: 'ERR_INVALID_ARG_TYPE' }),
    new TypeError('undefined is not a function'),
    new Error('The feed has no row.'),
  ])('%s', (error) => {
    expect(failureFrom(error)).toBe(error);
  });
});
