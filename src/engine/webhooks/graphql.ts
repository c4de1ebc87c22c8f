import { eventId, toEventId } from '../events/cursor.ts';
import type { EventTypeRef } from '../events/graphql.ts';
import { beta } from '../lifecycle/annotation.ts';
import { text } from '../schema/bounds.ts';
import type { Builder } from '../schema/builder.ts';
import type { connections } from '../schema/connection.ts';
import { type rowFields, rowVersion } from '../schema/row-fields.ts';
import { deliveryList, type NewWebhook, type WebhookFields, type WebhookStore, webhookList } from './store.ts';
import { type Delivery, WEBHOOK_LENGTHS, type Webhook } from './table.ts';
import { urlError } from './target.ts';

declare module '../schema/context.ts' {
  interface Context {
    readonly webhooks: WebhookStore;
  }
}

const SCOPE = 'webhooks:write';
const FOR_NONE = 'This version of the service has none of the types of events that it is for.';
const url = text(WEBHOOK_LENGTHS.url);
/** Whether it may also lead to this machine depends on the settings: the store checks that. */
const givenUrl = { ...url, check: (value: unknown) => url.check(value) ?? urlError(String(value), 'loopback') };
const description = text(WEBHOOK_LENGTHS.description);

interface SchemaTools extends ReturnType<typeof connections>, ReturnType<typeof rowFields> {
  readonly eventType: EventTypeRef;
  readonly types: readonly string[];
}

export function addWebhooks(builder: Builder, tools: SchemaTools): void {
  const { readFields, writeFields, connectionTo, pagingArgs, eventType, types } = tools;
  const items = { items: types.length };
  const knownTypes = (row: Webhook) => row.types?.split(' ').filter((type) => types.includes(type));
  // Shown as enabled, it would seem to get all events: its list of types is empty.
  const isForNone = (row: Webhook) => knownTypes(row)?.length === 0;

  const DeliveryStatus = builder.enumType('DeliveryStatus', {
    description: 'The status of a delivery.',
    values: {
      pending: { description: 'An attempt will be made.' },
      delivered: { description: 'The receiver has answered with a status from 200 to 299.' },
      failed: { description: 'It was given up, after ten attempts or because its event is no longer kept.' },
    },
  });

  const WebhookType = builder.objectRef<NewWebhook>('Webhook').implement({
    description: 'An address to which events are sent, signed as Standard Webhooks 1.0 says.',
    fields: (t) => ({
      id: t.expose('id', { type: 'Int64', description: 'Unique identifier, assigned on creation.' }),
      url: t.exposeString('url', { bounds: url, description: 'The address.' }),
      types: t.field({
        type: [eventType],
        extensions: items,
        description: 'The types of events that are sent; empty for all.',
        resolve: (row) => knownTypes(row) ?? [],
      }),
      description: t.exposeString('description', {
        nullable: true,
        bounds: description,
        description: 'What it is for.',
      }),
      enabled: t.boolean({
        description: 'Whether events are sent.',
        resolve: (row) => row.enabled && !isForNone(row),
      }),
      disabledBecause: t.string({
        nullable: true,
        bounds: text({ min: 1, max: 200 }),
        description: 'Why the service has disabled it, if it has.',
        resolve: (row) => row.disabledBecause ?? (isForNone(row) ? FOR_NONE : null),
      }),
      pausedUntil: t.expose('pausedUntil', {
        type: 'DateTime',
        nullable: true,
        description: 'Until when nothing is sent, if the receiver has asked for a pause.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
      secret: t.string({
        nullable: true,
        bounds: text({ min: 1, max: 100 }),
        description:
          'The secret that its requests are signed with. It is shown once, in the response to the request that made it.',
        resolve: ({ newSecret }) => newSecret ?? null,
      }),
      version: t.expose('version', rowVersion),
    }),
  });

  const DeliveryType = builder.objectRef<Delivery>('Delivery').implement({
    description: 'An event that is sent to a webhook, or was.',
    fields: (t) => ({
      id: t.expose('id', { type: 'Int64', description: 'Unique identifier of the delivery.' }),
      webhookId: t.expose('webhookId', { type: 'Int64', description: 'Identifier of the webhook.' }),
      event: t.string({
        bounds: text({ min: 1, max: 25 }),
        description: 'Identifier of the event.',
        resolve: toEventId,
      }),
      type: t.field({
        type: eventType,
        nullable: true,
        description: 'The type of the event, if that type still exists.',
        resolve: ({ type }) => (types.includes(type) ? type : null),
      }),
      subject: t.exposeString('subject', {
        bounds: text({ min: 1, max: 100 }),
        description: 'The row to which it has happened.',
      }),
      status: t.expose('status', { type: DeliveryStatus, description: 'Its status.' }),
      attempts: t.exposeInt('attempts', { description: 'How many attempts were made.' }),
      lastAttemptAt: t.expose('lastAttemptAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When the last attempt was made, or when it was given up because its event is no longer kept.',
      }),
      nextAttemptAt: t.expose('dueAt', {
        type: 'DateTime',
        nullable: true,
        description:
          'When the next attempt is due, unless the delivery waits for an earlier event of its subject, or has ended. While the webhook is disabled, no attempt is made.',
      }),
      responseStatus: t.exposeInt('responseStatus', {
        nullable: true,
        description: 'The status of the last response, if there was one.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        bounds: text({ min: 1, max: 200 }),
        description: 'What was wrong with the last attempt.',
      }),
    }),
  });

  const reads = readFields(WebhookType, {
    one: 'webhook',
    many: 'webhooks',
    list: webhookList,
    store: ({ webhooks }) => webhooks,
  });
  const DeliverySort = builder.enumType('DeliverySort', {
    description: 'How deliveries are sorted.',
    values: { id: { description: 'Oldest first.' }, id_desc: { description: 'Newest first.' } },
  });

  const writes = writeFields(WebhookType, {
    one: 'webhook',
    scope: SCOPE,
    store: ({ webhooks, account = null }) => ({
      ...webhooks,
      create: (fields: WebhookFields) => webhooks.create(fields, account),
      // No field replaces a webhook.
      replace: webhooks.update,
    }),
    fields: (t) => ({
      url: t.string({
        required: true,
        bounds: givenUrl,
        description:
          'The address: it must begin with `https:`, lead to a public address, and have neither a user name nor a fragment. It is counted percent-encoded. A service that is not in production also sends to its own machine.',
      }),
      types: t.field({
        type: [eventType],
        description: 'The types of events to send; all of them without it, or if it is empty.',
      }),
      description: t.string({ bounds: description, description: 'What it is for.' }),
      enabled: t.boolean({ defaultValue: true, description: 'Whether events are sent.' }),
    }),
  });

  const own = { scope: SCOPE, lifecycle: beta() };
  const { webhookId } = reads.byId.args;

  builder.queryFields((t) => ({
    webhook: t.field({ ...reads.byId, ...own }),
    webhooks: t.field({ ...reads.list({}), ...own }),
    deliveries: t.field({
      type: connectionTo<Delivery, 'id' | 'id_desc'>(DeliveryType, 'deliveries', deliveryList),
      ...own,
      description:
        'List the deliveries of a webhook. There are those to come while it is enabled, those of the last day, and those of the last 30 days that were given up. Of what was delivered and of what was given up, at least the newest 20,000 are kept that long.',
      args: {
        webhookId,
        status: t.arg({ type: [DeliveryStatus], description: 'Only those with one of these statuses.' }),
        sort: t.arg({ type: DeliverySort, defaultValue: 'id', description: 'How the list is sorted.' }),
        ...pagingArgs,
      },
      resolve: (_, { webhookId: id, status, sort, ...window }, { webhooks }) =>
        webhooks.listDeliveries(id, status, sort ?? 'id', window),
    }),
  }));

  builder.mutationFields((t) => ({
    createWebhook: t.field({
      ...writes.create,
      ...own,
      description: 'Create a webhook. It gets the events from now on.',
    }),
    updateWebhook: t.field({
      ...writes.update,
      ...own,
      description: `${writes.update.description} If it is enabled again, it gets the events that it has missed.`,
    }),
    deleteWebhook: t.field({ ...writes.delete, ...own, description: 'Delete a webhook and its deliveries.' }),
    rotateWebhookSecret: t.field({
      type: WebhookType,
      ...own,
      description: 'Make a new secret for a webhook. For a day, requests are also signed with the one before.',
      args: { webhookId },
      resolve: (_, { webhookId: id }, { webhooks }) => webhooks.rotateSecret(id),
    }),
    redeliverEvents: t.field({
      type: WebhookType,
      ...own,
      description:
        'Send the events after one to a webhook again, when it is enabled. This includes those that were delivered or given up before, whose deliveries are then no longer listed.',
      args: {
        webhookId,
        after: t.arg.string({
          required: true,
          bounds: eventId,
          description: 'The id of the event before the first one that is sent again.',
        }),
      },
      resolve: (_, { webhookId: id, after }, { webhooks }) => webhooks.redeliver(id, after),
    }),
  }));
}
