import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { IncomingRequest } from '../../../src/engine/http/incoming.ts';
import { EndpointCall } from '../../../src/engine/rest/call.ts';
import { compileRoutes, type Endpoint } from '../../../src/engine/rest/compile.ts';
import { created, gql, ok, route } from '../../../src/engine/rest/route.ts';

const schema = buildSchema(`
  type Query { any: Int }
  type Chapter { id: Int!  bookId: Int!  title: String! }
  type Word { word: String!  meaning: String! }
  input NewChapter { title: String! }
  input NewWord { word: String!  meaning: String! }
  type Mutation {
    createChapter(bookId: Int!, chapter: NewChapter!): Chapter!
    replaceChapter(chapterId: Int!, bookId: Int!, chapter: NewChapter!): Chapter!
    createWord(word: NewWord!): Word!
    replaceWord(word: String!, update: NewWord!): Word!
  }
`);
const chapter = 'fragment Chapter on Chapter { id bookId title }';
const word = 'fragment Word on Word { word meaning }';
const tag = 'Books';

const [createChapter, replaceChapter, createWord, replaceWord] = compileRoutes(schema, [
  route('POST', '/books/{bookId}/chapters', {
    tag,
    operation: gql`mutation createChapter($bookId: Int!, $chapter: NewChapter!) {
      createChapter(bookId: $bookId, chapter: $chapter) { ...Chapter }
    } ${chapter}`,
    reply: created('/books/{bookId}/chapters/{id}'),
  }),
  route('PUT', '/books/{bookId}/chapters/{chapterId}', {
    tag,
    operation: gql`mutation replaceChapter($chapterId: Int!, $bookId: Int!, $chapter: NewChapter!) {
      replaceChapter(chapterId: $chapterId, bookId: $bookId, chapter: $chapter) { ...Chapter }
    } ${chapter}`,
    reply: ok(),
  }),
  route('POST', '/words', {
    tag,
    operation: gql`mutation createWord($word: NewWord!) { createWord(word: $word) { ...Word } } ${word}`,
    reply: created('/words/{word}'),
  }),
  route('PUT', '/words/{word}', {
    tag,
    operation: gql`mutation replaceWord($word: String!, $update: NewWord!) {
      replaceWord(word: $word, update: $update) { ...Word }
    } ${word}`,
    reply: ok(),
  }),
]) as [Endpoint, Endpoint, Endpoint, Endpoint];

function read(endpoint: Endpoint, segments: Readonly<Record<string, string>>, body: unknown) {
  const request = {
    headers: new Headers({ 'content-type': 'application/json' }),
    search: '',
    meter: { chargeBody: () => undefined, charge: () => {} },
    readBody: async () => Buffer.from(JSON.stringify(body)),
  } as unknown as IncomingRequest;
  return endpoint.read(new EndpointCall(request, endpoint.readPath, segments));
}

describe('a row within another one', () => {
  const path = { bookId: '3', chapterId: '5' };

  test('can be sent back as it was received', async () => {
    const sent = await read(replaceChapter, path, { id: 5, bookId: 3, title: 'One' });
    expect(sent).toEqual({ bookId: 3, chapterId: 5, chapter: { title: 'One' } });
  });

  test('has the id that is last in the path, and the others in their own fields', async () => {
    const sent = read(replaceChapter, path, { id: 3, bookId: 5, title: 'One' });
    await expect(sent).rejects.toThrow(/bookId is read-only: it must be 3.*id is read-only: it must be 5/);
  });

  test('has its id from the service when it is new, whatever the path has', async () => {
    const sent = read(createChapter, { bookId: '3' }, { id: 3, title: 'One' });
    await expect(sent).rejects.toThrow('id is read-only, because it is assigned on creation; omit it.');
  });
});

describe('a row whose key is a text that the client gives', () => {
  test('has the key in its body', async () => {
    const update = { word: 'a', meaning: 'One.' };
    expect(await read(replaceWord, { word: 'a' }, update)).toEqual({ word: 'a', update });
  });

  test.each([
    ['a/b', 'a%2Fb'],
    ['a b?#', 'a%20b%3F%23'],
    ['日', '%E6%97%A5'],
  ])('is at the encoded address of %j', (key, encoded) => {
    const data = { createWord: { word: key, meaning: 'Any.' } };
    const { headers } = createWord.toAnswer({ data }, {}, { address: (path) => path, nextPage: String });
    expect(headers).toEqual(['location', `/words/${encoded}`]);
  });
});
