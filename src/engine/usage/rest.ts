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

/** The engine's own resource. `buildSchema` adds it to the schema, and the service creates its store. */
export const lifecycleResource = {
  routes,
  examples: { LifecycleLevel: 'deprecated', Stability: 'stable' },
  tags: { Service: { Lifecycle: 'What is experimental, beta or deprecated.' } },
  plurals: { listLifecycle: 'LifecycleMarks' },
};
