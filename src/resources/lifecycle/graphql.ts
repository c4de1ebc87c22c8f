import { builder } from '../../graphql/builder.ts';
import { experimental } from '../../lifecycle/mark.ts';
import { type ClientUse, type ReportEntry, WINDOW_DAYS } from '../../lifecycle/report.ts';
import { type LifecycleStore, MOST_TOLD } from './store.ts';
import { lifecycleUses } from './table.ts';

declare module '../../graphql/context.ts' {
  interface Context {
    readonly lifecycle: LifecycleStore;
  }
}

const LifecycleLevel = builder.enumType('LifecycleLevel', {
  description: 'What matters most of the marks that something bears.',
  values: {
    experimental: { description: 'May change or go at any time, without notice.' },
    beta: { description: "Settled in the main; a change has 30 days' notice." },
    deprecated: { description: 'On its way out: served until the end of its sunset day.' },
  },
});

const Stability = builder.enumType('Stability', {
  description: 'What was promised of something.',
  values: {
    experimental: { description: 'It may change or go at any time, without notice.' },
    beta: { description: "A change has 30 days' notice." },
    stable: { description: 'It stays as it is; before it goes it is deprecated for 180 days at least.' },
  },
});

const DayUses = builder.objectRef<{ day: string; uses: number }>('DayUses').implement({
  description: 'How often something was used on a day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The day, in UTC.' }),
    uses: t.expose('uses', { type: 'Int64', description: 'How often it was used.' }),
  }),
});

const ClientUses = builder.objectRef<ClientUse>('ClientUses').implement({
  description: 'How often a client has used something.',
  fields: (t) => ({
    client: t.exposeString('client', {
      description: 'What the client calls itself; `(others)` for those that came when there were too many names.',
    }),
    uses: t.expose('uses', { type: 'Int64', description: `How often, in the last ${WINDOW_DAYS} days.` }),
    lastSeenAt: t.field({ type: 'DateTime', description: 'When it did last.', resolve: ({ lastSeen }) => lastSeen }),
  }),
});

const LifecycleMark = builder.objectRef<ReportEntry>('LifecycleMark').implement({
  description: 'Something of the schema that is experimental, beta or deprecated, and who still uses it.',
  fields: (t) => ({
    coordinate: t.exposeString('coordinate', { description: 'Its schema coordinate, such as `Query.pets`.' }),
    operation: t.string({
      nullable: true,
      description: 'What REST calls it, such as `GET /pets`; null for what is no operation there, nor part of one.',
      resolve: ({ operation }) => operation,
    }),
    level: t.expose('level', { type: LifecycleLevel, description: 'What matters most of its marks.' }),
    stability: t.expose('stability', { type: Stability, description: 'What was promised of it.' }),
    since: t.field({
      type: 'Date',
      nullable: true,
      description: 'The day from which it is deprecated, in UTC.',
      resolve: ({ deprecation }) => deprecation?.since,
    }),
    sunset: t.field({
      type: 'Date',
      nullable: true,
      description: 'The last day on which it is served, in UTC.',
      resolve: ({ deprecation }) => deprecation?.sunset,
    }),
    daysLeft: t.int({
      nullable: true,
      description: 'Days from today to the sunset: 0 on the day itself, negative after it.',
      resolve: ({ deprecation }) => deprecation?.daysLeft,
    }),
    successor: t.string({
      nullable: true,
      description: 'The schema coordinate of what takes its place.',
      resolve: ({ deprecation }) => deprecation?.successor,
    }),
    successorOperation: t.string({
      nullable: true,
      description: 'What REST calls that which takes its place.',
      resolve: ({ deprecation }) => deprecation?.successorOperation,
    }),
    why: t.string({
      nullable: true,
      description: 'Why it is deprecated.',
      resolve: ({ deprecation }) => deprecation?.why,
    }),
    uses: t.expose('uses', {
      type: 'Int64',
      description: `How often it was used in the last ${WINDOW_DAYS} days.`,
    }),
    clients: t.int({
      description: `How many clients used it in the last ${WINDOW_DAYS} days.`,
      resolve: ({ usage }) => usage.clientCount,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When it was used last, in the last ${WINDOW_DAYS} days.`,
      resolve: ({ usage }) => usage.lastUsed,
    }),
    countedSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when its uses are counted.',
      resolve: ({ usage }) => usage.countedSince,
    }),
    verdict: t.exposeString('verdict', { description: 'Whether it could go, in words.' }),
    usesByDay: t.field({
      type: [DayUses],
      extensions: { items: WINDOW_DAYS + 1 },
      description: `Its uses by day in the last ${WINDOW_DAYS} days; a day without any is left out.`,
      resolve: ({ usage }) => [...usage.byDay].map(([day, uses]) => ({ day, uses })),
    }),
    usesByClient: t.field({
      type: [ClientUses],
      extensions: { items: MOST_TOLD },
      description: 'Its clients, the one with the most uses first; at most 100.',
      resolve: ({ usage }) => [...usage.clients],
    }),
  }),
});

builder.queryField('lifecycle', (t) =>
  t.field({
    type: [LifecycleMark],
    lifecycle: experimental(),
    extensions: { countsList: { tables: [lifecycleUses] } },
    description: 'List what is marked. What goes first comes first.',
    resolve: async (_, __, { lifecycle }) => [...(await lifecycle.report())],
  }),
);
