import { printSchemaWithDirectives } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import stringify from 'json-stringify-pretty-compact';
import { type Application, describeEndpoints, describeEvents } from '../application.ts';
import { serveAsset } from '../http/asset.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { LifecycleRules } from '../lifecycle/enforcement.ts';
import { LIFECYCLE_PAGE } from '../lifecycle/headers.ts';
import { lifecycleReport, type ReportEntry, type RestNames } from '../lifecycle/report.ts';
import type { CpuThrottle } from '../limits/cpu-throttle.ts';
import type { Endpoint } from '../rest/compile.ts';
import { homePage } from './home.ts';
import { lifecyclePage } from './lifecycle.ts';
import { pageHeaders } from './policy.ts';
import { createReference } from './reference.ts';

interface SiteOptions {
  readonly application: Application;
  readonly endpoints: readonly Endpoint[];
  readonly annotated: readonly Annotated[];
  readonly restNames: RestNames;
  readonly basePath: string;
  readonly rules: LifecycleRules;
  readonly report: () => Promise<readonly ReportEntry[]>;
  readonly throttle: Pick<CpuThrottle, 'wait'>;
  readonly isOpenByKey: (request: IncomingRequest) => boolean;
  readonly hasPlayground: boolean;
  readonly hasSchema: boolean;
  readonly hasEvents: boolean;
  /** Whether reads need a credential. */
  readonly isPrivate: boolean;
}

/** Makes the response of a page or a health check. */
export type PageMaker = (request: IncomingRequest) => HttpReply | Promise<HttpReply>;

/**
 * The pages and API descriptions, by their paths under the base path. Those that are the same for all are made once, at
 * the first request, so that the start of the service does not wait for them.
 */
export function createSite(options: SiteOptions): Readonly<Record<string, PageMaker>> {
  const { application, endpoints, annotated, restNames, basePath, rules, report } = options;
  const { schema, title } = application;
  // Created now, so that a route that cannot be described makes the start fail.
  const openApi = describeEndpoints(application, endpoints, basePath);
  const events = describeEvents(application, openApi, basePath);
  const { isRehearsal } = rules;
  const annotations = lifecycleReport(annotated, restNames, new Map(), { now: rules.clock(), isRehearsal });
  return {
    '/': ({ origin }) => html(homePage(application, basePath, origin, options)),
    [LIFECYCLE_PAGE]: async (request) => {
      const entries = await report();
      await request.meter.waitFor(options.throttle, 1);
      const page = html(lifecyclePage(title, entries, rules, basePath, request.origin, options.isOpenByKey(request)));
      return { ...page, headers: [...page.headers, 'vary', 'Accept'] };
    },
    [`${LIFECYCLE_PAGE}.ics`]: async ({ base }) => {
      const { lifecycleCalendar } = await import('./calendar.ts');
      return text('text/calendar; charset=utf-8', lifecycleCalendar(application, annotations, base));
    },
    ...createReference(title, basePath, options.hasPlayground),
    '/openapi.json': json(openApi),
    '/openapi.yaml': serveAsset({
      contentType: 'application/yaml',
      make: async () => {
        // A CommonJS module, of which a bundle has the default alone.
        const { default: yaml } = await import('yaml');
        return yaml.stringify(openApi, { aliasDuplicateObjects: false });
      },
    }),
    ...(events && { '/asyncapi.json': json(events) }),
    ...(options.hasSchema && {
      '/schema.graphql': serveAsset({ contentType: 'text/plain; charset=utf-8', make: () => printGraphQL(schema) }),
    }),
  };
}

/** The GraphQL schema, as committed and served. */
export function printGraphQL(schema: GraphQLSchema): string {
  return `${printSchemaWithDirectives(schema)}\n`;
}

/** The OpenAPI or AsyncAPI document, as committed and served. */
export function printDocument(document: object): string {
  return `${stringify(document, { maxLength: 110 })}\n`;
}

function json(document: object): PageMaker {
  return serveAsset({ contentType: 'application/json', make: () => printDocument(document) });
}

export function html(body: string): HttpReply {
  const page = text('text/html; charset=utf-8', body);
  return { ...page, headers: [...page.headers, ...pageHeaders(body)] };
}

function text(contentType: string, body: string): HttpReply {
  return { status: 200, headers: ['content-type', contentType], body };
}
