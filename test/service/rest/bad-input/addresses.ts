import type { RestOptions } from '../../../support/app.ts';
import { type Operation, resolve, type Schema } from './operations.ts';

/** A request that differs from the valid one in one thing, and the error that it must get. */
export interface Bad {
  readonly title: string;
  readonly address?: string;
  readonly options?: RestOptions;
  readonly code: string;
  readonly status: number;
  readonly names: string | RegExp;
}

export function badHeaders(): Bad[] {
  const rejected = { code: 'NOT_ACCEPTABLE', status: 406, names: 'application/json' };
  return ['image/png', 'application/json;q=0'].map((accept) => ({
    title: `Accept: ${accept}`,
    options: { headers: { accept } },
    ...rejected,
  }));
}

export function badAddresses({ path, query, parameters }: Operation): Bad[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name }) => {
      const at = (id: string) => path.replace(`{${name}}`, id) + query;
      const unreadable = [
        '1.5',
        'abc',
        '1e3',
        '0x1',
        '+1',
        '%201',
        '1%20',
        '1%2F2',
        'null',
        '%00',
        '1%00',
        '１',
        '9223372036854775808',
        '-9223372036854775809',
        '99999999999999999999999999',
        '..%2f1',
        "1'%20or%20'1'='1",
        '__proto__',
      ];
      const undecodable = ['%zz', '%ff', '1%', '%ed%a0%80', '%c0%80'];
      const missing = ['0', '-1', '987654', '9223372036854775807', '-9223372036854775808'];
      return [
        ...unreadable.map((id) => bad(`no integer in the path: ${id}`, at(id), 'INVALID_ARGUMENT', 400, name)),
        ...undecodable.map((id) =>
          bad(`not encoded in the path: ${id}`, at(id), 'INVALID_ARGUMENT', 400, /path.*percent/),
        ),
        ...missing.map((id) => bad(`no row: ${id}`, at(id), 'NOT_FOUND', 404, id)),
      ];
    });
}

function bad(title: string, address: string, code: string, status: number, names: string | RegExp): Bad {
  return { title, address, code, status, names };
}

export function badQueries({ address, query: own, parameters }: Operation): Bad[] {
  const at = (query: string, names: string | RegExp) =>
    bad(`?${query.slice(0, 60)}`, `${address}${own === '' ? '?' : '&'}${query}`, 'INVALID_ARGUMENT', 400, names);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return [
    at('bogus=1', 'bogus'),
    at('bogus', 'bogus'),
    at('__proto__=1', '__proto__'),
    at('Limit=1', 'Limit'),
    at('id%00=1', /id/),
    at('=1', '""'),
    at('bogus=%zz', /query string.*percent/),
    at('%ff=1', /query string.*percent/),
    ...inQuery.flatMap(({ name, schema }) => {
      const isList = schema.type === 'array';
      const leaf = resolve(isList ? (schema.items ?? {}) : schema);
      const [good] = goodTexts(name, leaf);
      return [
        ...badTexts(name, leaf).map((text) => at(`${name}=${text}`, name)),
        ...(isList
          ? badTexts(name, leaf).map((text) => at(`${name}=${good}&${name}=${text}`, name))
          : [at(`${name}=${good}&${name}=${good}`, new RegExp(`${name}.*once`))]),
        ...(leaf.type === 'string' && leaf.enum === undefined && name !== 'after' ? [] : [at(`${name}`, name)]),
      ];
    }),
  ];
}

function goodTexts(name: string, schema: Schema): string[] {
  if (name === 'after') return ['1.1'];
  if (name === 'subject') return ['pets/1'];
  if (schema.enum !== undefined) return [...schema.enum];
  if (schema.type === 'boolean') return ['true'];
  if (schema.format === 'date-time') return ['2026-12-01T00:00:00Z'];
  return ['1'];
}

function badTexts(name: string, schema: Schema): string[] {
  if (name === 'after') return ['x', '', 'WyJpZCJd', 'WyJpZCIsIjEiXQ==', '%00', 'null'];
  if (schema.enum !== undefined) return ['lost', '', 'AVAILABLE', '-', 'id_desc', 'available,sold', 'toString', '%00'];
  if (schema.type === 'boolean') return ['', 'TRUE', '1', 'yes', 'null'];
  if (schema.format === 'date-time')
    return ['', 'abc', '2026-12-01', '2026-12-01T00:00:00', '2026-13-01T00:00:00Z', 'null'];
  if (schema.format === 'int64') return ['', 'abc', '1.5', '1,2', '9223372036854775808', '0x1', '+1', '%00', 'null'];
  if (schema.type === 'integer') {
    const beyond = [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1].map(String);
    return ['', '-1', ...beyond, 'abc', '1.5', '2147483648', '9'.repeat(20), '1e1', '%2B5', '%205', 'null'];
  }
  const tooLong = ['x'.repeat(201), encodeURIComponent('🐕'.repeat(201))];
  return ['', '%20%20', '%09%0a%c2%a0', 'a%00b', ...tooLong];
}
