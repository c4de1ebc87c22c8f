/*
 * The public API of the engine. An application imports only this, and `db` for its tables and stores.
 */

export type { Application, Resource } from './application.ts';
export { OPEN_ACCESS } from './auth/access.ts';
export { createSchema } from './create-schema.ts';
export { type ErrorKind, ServiceError, validationFailed } from './errors.ts';
export { type EventSource, rowEvents } from './events/source.ts';
export type { Int64 } from './int64.ts';
export { beta, deprecated, experimental } from './lifecycle/annotation.ts';
export {
  created,
  gql,
  noContent,
  ok,
  page,
  pagingParameters,
  replacedOrCreated,
  route,
  rows,
} from './rest/route.ts';
export { rowRoutes } from './rest/row-routes.ts';
export { decimal, integerFrom, type TextBounds, text } from './schema/bounds.ts';
export { reference } from './schema/reference.ts';
export { rowVersion } from './schema/row-fields.ts';
export { createApp } from './service.ts';
