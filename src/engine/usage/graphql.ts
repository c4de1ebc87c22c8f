import { experimental, PROMISES } from '../lifecycle/annotation.ts';
import { type ClientUse, type ReportEntry, WINDOW_DAYS } from '../lifecycle/report.ts';
import type { Builder } from '../schema/builder.ts';
import { type LifecycleStore, MAX_LISTED } from './store.ts';
import { lifecycleUses } from './table.ts';

declare module '../schema/context.ts' {
  interface Context {
    readonly lifecycle: LifecycleStore;
  }
}

export function addLifecycle(builder: Builder): void {
  const LifecycleLevel = builder.enumType('LifecycleLevel', {
    description: 'The most important lifecycle annotation of something.',
    values: {
      experimental: { description: PROMISES.experimental },
      beta: { description: PROMISES.beta },
      deprecated: { description: 'It will be removed. It works until the end of its sunset day.' },
    },
  });

  const Stability = builder.enumType('Stability', {
    description: 'What is promised about something.',
    values: {
      experimental: { description: PROMISES.experimental },
      beta: { description: 'Breaking changes are announced 30 days ahead.' },
      stable: { description: 'No breaking changes. It is deprecated for at least 180 days before it is removed.' },
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
        description:
          'The name that the client sent, such as in `API-Client` or `User-Agent`. `(unknown)` counts those without a name, and `(others)` those beyond the maximum number of names.',
      }),
      uses: t.expose('uses', { type: 'Int64', description: `How often, in the last ${WINDOW_DAYS} days.` }),
      lastSeenAt: t.expose('lastSeen', { type: 'DateTime', description: 'When it was used last.' }),
    }),
  });

  const within = `in the last ${WINDOW_DAYS} days`;
  const text = { nullable: true } as const;
  const day = { type: 'Date', nullable: true } as const;
  const instant = { type: 'DateTime', nullable: true } as const;
  const LifecycleMark = builder.objectRef<Mark>('LifecycleMark').implement({
    description: 'A part of the schema that is experimental, beta or deprecated, and who still uses it.',
    fields: (t) => ({
      coordinate: t.exposeString('coordinate', { description: 'Its schema coordinate, such as `Type.field`.' }),
      operation: t.exposeString('operation', {
        ...text,
        description: 'The REST operation that it is, or that has it as an argument: its method and path.',
      }),
      level: t.expose('level', { type: LifecycleLevel, description: 'Its most important annotation.' }),
      stability: t.expose('stability', { type: Stability, description: 'What is promised about it.' }),
      since: t.expose('since', { ...day, description: 'The first day on which it is deprecated, in UTC.' }),
      sunset: t.expose('sunset', { ...day, description: 'The last day on which it works, in UTC.' }),
      daysLeft: t.exposeInt('daysLeft', {
        nullable: true,
        description: 'Days from today to the sunset: 0 on the day itself, negative after it.',
      }),
      successor: t.exposeString('successor', { ...text, description: 'The schema coordinate of its replacement.' }),
      successorOperation: t.exposeString('successorOperation', {
        ...text,
        description: 'What replaces it in REST: an operation, or a parameter of one.',
      }),
      why: t.exposeString('why', { ...text, description: 'Why it is deprecated.' }),
      uses: t.expose('uses', { type: 'Int64', description: `How often it was used ${within}.` }),
      clients: t.exposeInt('clientCount', { description: `How many clients used it ${within}.` }),
      lastUsedAt: t.expose('lastUsed', { ...instant, description: `When it was last used ${within}.` }),
      countedSince: t.expose('countedSince', { ...instant, description: 'Since when its uses are counted.' }),
      verdict: t.exposeString('verdict', { description: 'Whether it can be removed, in words.' }),
      usesByDay: t.field({
        type: [DayUses],
        extensions: { items: WINDOW_DAYS + 1 },
        description: `Its uses by day ${within}. Days without a use are left out.`,
        resolve: ({ byDay }) => [...byDay].map(([day, uses]) => ({ day, uses })),
      }),
      usesByClient: t.field({
        type: [ClientUses],
        extensions: { items: MAX_LISTED },
        description: 'Its clients, those with the most uses first; at most 100.',
        resolve: ({ clients }) => [...clients],
      }),
    }),
  });

  builder.queryField('lifecycle', (t) =>
    t.field({
      type: [LifecycleMark],
      lifecycle: experimental(),
      counts: { tables: [lifecycleUses] },
      description: 'List everything that is experimental, beta or deprecated. The next sunset comes first.',
      resolve: async (_, __, { lifecycle }) => (await lifecycle.report()).map(toMark),
    }),
  );
}

type Mark = ReturnType<typeof toMark>;

function toMark({ deprecation, usage, ...entry }: ReportEntry) {
  return { ...entry, ...deprecation, ...usage };
}
