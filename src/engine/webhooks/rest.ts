import { gql, ok, type Route, route } from '../rest/route.ts';
import { rowRoutes } from '../rest/row-routes.ts';

const TAG = 'Webhooks';

const webhook = rowRoutes({
  tag: TAG,
  type: 'Webhook',
  fields: 'id url types description enabled disabledBecause pausedUntil createdAt secret',
});
const delivery = rowRoutes({
  tag: TAG,
  type: 'Delivery',
  fields: 'id webhookId event type subject status attempts lastAttemptAt nextAttemptAt responseStatus error',
});
const routes: readonly Route[] = [
  route('GET', '/webhooks', webhook.list('webhooks')),
  route('POST', '/webhooks', {
    ...webhook.create('createWebhook', '/webhooks/{id}'),
    errors: ['CONFLICT', 'NOT_FOUND'],
  }),
  route('GET', '/webhooks/{webhookId}', webhook.byId('webhook')),
  route('PATCH', '/webhooks/{webhookId}', webhook.update('updateWebhook')),
  route('DELETE', '/webhooks/{webhookId}', webhook.delete('deleteWebhook')),
  route('POST', '/webhooks/{webhookId}/secret', {
    tag: TAG,
    operation: gql`mutation rotateWebhookSecret($webhookId: Int64!) {
      rotateWebhookSecret(webhookId: $webhookId) { ...Webhook }
    } ${webhook.fragment}`,
    reply: ok(),
  }),
  route('GET', '/webhooks/{webhookId}/deliveries', delivery.list('deliveries', { sort: 'id_desc' })),
  route('POST', '/webhooks/{webhookId}/redeliver', {
    tag: TAG,
    operation: gql`mutation redeliverEvents($webhookId: Int64!, $after: String!) {
      redeliverEvents(webhookId: $webhookId, after: $after) { ...Webhook }
    } ${webhook.fragment}`,
    reply: ok(),
    errors: ['GONE'],
  }),
];

const example = {
  id: 1,
  url: 'https://shop.example/hooks',
  types: ['order.placed', 'order.cancelled'],
  description: 'Tells the warehouse.',
  enabled: true,
  createdAt: '2026-11-25T09:30:00.000Z',
};
const { id, createdAt, ...fields } = example;

export const webhookResource = {
  routes,
  examples: {
    Webhook: example,
    NewWebhook: fields,
    WebhookChanges: { enabled: true },
    Delivery: {
      id: 31,
      webhookId: 1,
      event: '1.204',
      type: 'order.placed',
      subject: 'orders/7',
      status: 'pending',
      attempts: 2,
      lastAttemptAt: '2026-11-25T09:35:05.000Z',
      nextAttemptAt: '2026-11-25T09:40:05.000Z',
      responseStatus: 500,
      error: 'The answer was 500.',
    },
    DeliveryStatus: 'pending',
  },
  tags: { Service: { [TAG]: 'Addresses to which events are sent.' } },
};
