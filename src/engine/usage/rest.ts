import { LIFECYCLE_PAGE } from '../lifecycle/headers.ts';
import { gql, type Route, route, rows } from '../rest/route.ts';

const routes: readonly Route[] = [
  route('GET', LIFECYCLE_PAGE, {
    tag: 'Lifecycle',
    operation: gql`query listLifecycle { lifecycle { ...LifecycleMark } }
    fragment LifecycleMark on LifecycleMark {
      coordinate operation level stability since sunset daysLeft successor successorOperation why
      uses clients lastUsedAt countedSince verdict
    }`,
    reply: {
      ...rows('The whole list. A browser, which prefers HTML, gets a page instead.'),
      answer: (value) => ({ status: 200, body: value, headers: ['vary', 'Accept'] }),
    },
  }),
];

const examples = {
  LifecycleMark: {
    coordinate: 'Query.book',
    operation: 'GET /books/{bookId}',
    level: 'deprecated',
    stability: 'stable',
    since: '2026-07-01',
    sunset: '2027-12-31',
    daysLeft: 405,
    successor: 'Query.books',
    successorOperation: 'GET /books?id={bookId}',
    why: 'Lists take many ids at once and answer in one shape.',
    uses: 1204,
    clients: 3,
    lastUsedAt: '2026-11-21T09:30:00.000Z',
    countedSince: '2026-07-01T00:00:00.000Z',
    verdict: '3 clients left',
  },
  LifecycleLevel: 'deprecated',
  Stability: 'stable',
};

/** The engine's own resource. `buildSchema` adds it to the schema, and the service creates its store. */
export const lifecycleResource = {
  routes,
  examples,
  tags: { Service: { Lifecycle: 'What is experimental, beta or deprecated.' } },
  plurals: { listLifecycle: 'LifecycleMarks' },
};
