import { READ } from '../auth/scope.ts';
import { combineAnnotations } from '../lifecycle/annotation.ts';
import { annotationExtensions } from '../openapi/annotations.ts';
import type { JsonSchema } from '../openapi/components.ts';
import { type EventSource, type EventType, eventTypesOf } from './source.ts';

/**
 * @param openApi the OpenAPI document of the service, which has the schemas of events and of their rows
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function asyncApiDocument(
  sources: readonly EventSource[],
  openApi: JsonSchema,
  { title, version, basePath }: Readonly<Record<'title' | 'version' | 'basePath', string>>,
): JsonSchema {
  const { schemas: all, securitySchemes } = openApi.components as Readonly<
    Record<'schemas' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>
  >;
  const rows = reachable(
    all,
    sources.map(({ type }) => type.name),
  );
  const messages = sources.flatMap((source) =>
    eventTypesOf([source]).map((type) => [type.name, messageOf(type, source)] as const),
  );
  const refs = messages.map(([name]) => [name, { $ref: `#/components/messages/${name}` }] as const);
  return {
    asyncapi: '3.0.0',
    info: { title, version, description: `What happens in the ${title}, in the form of CloudEvents 1.0.` },
    defaultContentType: 'application/json',
    channels: {
      events: {
        address: `${basePath}/events`,
        title: 'The feed',
        description:
          'Each committed change once, those of a row in the order of its versions, causes before effects. By GET: as pages, ' +
          'or as a stream of server-sent events (`Accept: text/event-stream`). By GraphQL: `subscription { events }`.',
        messages: Object.fromEntries(refs),
      },
      webhook: {
        title: 'A webhook',
        description:
          'The address of a webhook that a client has created. It gets its events by POST, signed as Standard Webhooks 1.0 says.',
        messages: Object.fromEntries(refs),
      },
    },
    operations: {
      tellEvents: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        summary: 'The service sends what has happened.',
        'x-required-scopes': [READ],
      },
      deliverEvents: {
        action: 'send',
        channel: { $ref: '#/channels/webhook' },
        summary: 'The service sends what has happened to a webhook.',
      },
    },
    components: {
      messages: Object.fromEntries(messages),
      securitySchemes,
      schemas: withPlainReferences({ Event: envelopeOf(all.Event as JsonSchema), ...rows }),
    },
  };
}

/** References without their descriptions: generators take one that `allOf` merges with a description for a type without name. */
function withPlainReferences(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const isDescribed = (schema: JsonSchema | null) => Object.keys(schema ?? {}).join() === 'allOf,description';
  return JSON.parse(JSON.stringify(schemas), (_, value) => (isDescribed(value) ? value.allOf[0] : value));
}

/** An event without its type and row, which each message has: generators that merge both would take any row. */
function envelopeOf(event: JsonSchema): JsonSchema {
  const { type: _, data: __, ...properties } = event.properties as Readonly<Record<string, unknown>>;
  return { ...event, properties };
}

function messageOf({ name, description, lifecycle }: EventType, { type }: EventSource): JsonSchema {
  return {
    name,
    title: name,
    summary: description,
    payload: {
      title: name,
      ...annotationExtensions(lifecycle && combineAnnotations(lifecycle)),
      allOf: [
        { $ref: '#/components/schemas/Event' },
        {
          type: 'object',
          properties: { type: { const: name }, data: { $ref: `#/components/schemas/${type.name}` } },
        },
      ],
    },
  };
}

/** These schemas, and those that they refer to. */
function reachable(schemas: Readonly<Record<string, JsonSchema>>, from: readonly string[]): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const visit = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined || name in found) return;
    found[name] = schema;
    for (const [, other = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(other);
  };
  from.forEach(visit);
  return found;
}
