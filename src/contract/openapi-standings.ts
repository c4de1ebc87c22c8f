import { type OpenApiDocument, type Operation, operationsOf, type SchemaObject } from './openapi-document.ts';
import { annotationIn } from './openapi-marks.ts';
import { shapeOf, valueName } from './openapi-shape.ts';
import { STABLE, type Standing, Standings, standingWithin } from './standing.ts';

/**
 * The standings of the operations, parameters and properties. A parameter lies within its operation, a property within
 * the schema that has it, and a component stands as high as the most that is promised of what uses it.
 */
export function openApiStandings(document: OpenApiDocument): Standings {
  const standings = new Standings();
  for (const operation of operationsOf(document).values()) raiseOperation(operation);
  return standings;

  function raiseOperation(operation: Operation): void {
    const standing = raise(operation.name, operation, STABLE);
    for (const parameter of operation.parameters) {
      const name = parameterName(operation, parameter);
      raiseSchema(parameter.schema, name, raise(name, parameter, standing));
    }
    const bodies = [['body', operation.requestBody] as const, ...Object.entries(operation.responses)];
    for (const [where, body] of bodies) {
      for (const { schema } of Object.values(body?.content ?? {})) {
        raiseSchema(schema, `${operation.name} (${where})`, standing);
      }
    }
  }

  function raiseSchema(schema: SchemaObject, at: string, standing: Standing): void {
    const shape = shapeOf(schema, document);
    const { component, properties = {}, items } = shape;
    if (component !== undefined && !standings.raise(component, standing)) return;
    const here = component ?? at;
    for (const value of shape.enum ?? []) {
      raise(valueName(here, component, value), shape['x-enum-marks']?.[String(value)] ?? {}, standing);
    }
    for (const [name, property] of Object.entries(properties)) {
      raiseSchema(property, `${here}.${name}`, raise(`${here}.${name}`, property, standing));
    }
    if (items) raiseSchema(items, `${here}[]`, standing);
  }

  function raise(coordinate: string, annotated: Parameters<typeof annotationIn>[0], holder: Standing): Standing {
    const own = annotationIn(annotated);
    const standing = standingWithin(own, holder);
    standings.raise(coordinate, standing, own);
    return standing;
  }
}

/** What a parameter is called: `GET /pets (query status)`. */
export function parameterName(operation: Pick<Operation, 'name'>, parameter: { in: string; name: string }): string {
  return `${operation.name} (${parameter.in} ${parameter.name})`;
}
