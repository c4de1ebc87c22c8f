import { createConfig, lintFromString } from '@redocly/openapi-core';
import { isEnumType, isInputObjectType, isIntrospectionType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { describeEndpoints, endpointsOf } from '../../src/engine/application.ts';
import { printDocument, printGraphQL } from '../../src/engine/pages/site.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { assertFits } from '../support/contract.ts';
import { committed, schemas, source } from './committed.ts';

const { schema } = petStoreService;

describe('the committed descriptions are what the service serves; `npm run schema` writes them', () => {
  test('schema/schema.graphql', () => expect(printGraphQL(schema)).toBe(committed('schema.graphql')));

  test('schema/openapi.json', () => {
    const endpoints = endpointsOf(petStoreService);
    expect(printDocument(describeEndpoints(petStoreService, endpoints, ''))).toBe(source);
  });
});

test('directives have no locations but those of GraphQL of September 2025: strict clients reject any other', () => {
  const places = ['FIELD_DEFINITION', 'ARGUMENT_DEFINITION', 'INPUT_FIELD_DEFINITION', 'ENUM_VALUE'];
  const ofOperations = ['FIELD', 'FRAGMENT_SPREAD', 'INLINE_FRAGMENT'];
  const locations = new Set(schema.getDirectives().flatMap(({ locations }) => locations));
  expect([...locations].sort()).toEqual([...places, ...ofOperations, 'INPUT_OBJECT', 'SCALAR'].sort());
});

describe('everything in the GraphQL schema says what it is', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

  test.each(types.map((type) => [type.name, type] as const))('%s', (_, type) => {
    const parts: readonly { name: string; description?: string | null | undefined }[] = isEnumType(type)
      ? type.getValues()
      : isInputObjectType(type)
        ? Object.values(type.getFields())
        : isObjectType(type)
          ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
          : [];
    expect([type, ...parts].filter(({ description }) => !description?.endsWith('.')).map(({ name }) => name)).toEqual(
      [],
    );
  });

  test('directives', () => {
    expect(schema.getDirectives().filter(({ description }) => !description)).toEqual([]);
  });
});

describe('the interface description', () => {
  test('SHOULD pass the rules that Redocly recommends, warnings included', async () => {
    // But for one: the project states no licence, and to state one is its owners' to do.
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } });
    const all = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    // Every operation answers with it on request, which is described once, in words.
    const problems = all.filter(({ message }) => message !== 'Component: "Problem" is never used.');
    expect(
      problems.map(({ severity, ruleId, message, location }) => ({
        severity,
        ruleId,
        message,
        at: location.map(({ pointer }) => pointer),
      })),
    ).toEqual([]);
  });

  test('has an example for each component, which fits its own schema; errors have theirs in their responses', () => {
    const { Error: error, ...others } = schemas;
    // Mock servers such as Prism would prefer it to the examples of the response, and answer each error with it.
    expect(error).not.toHaveProperty('example');
    for (const [name, component] of Object.entries(others)) {
      expect(component, name).toHaveProperty('example');
      assertFits({ $ref: `#/components/schemas/${name}` }, component.example, `The example of ${name}`);
    }
  });

  test('says what each component and each of its fields is', () => {
    for (const [name, component] of Object.entries(schemas)) {
      expect(component.description, name).toMatch(/\.$/);
      for (const [field, { description }] of Object.entries(component.properties ?? {})) {
        expect(description, `${name}.${field}`).toMatch(/\.$/);
      }
    }
  });

  test('has a component for each enum of a field, of which generators make one type for all that have it', () => {
    const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, schema]) => [`${name}.${field}`, schema.items ?? schema] as const),
    );
    expect(fields.filter(([, schema]) => schema.enum !== undefined).map(([name]) => name)).toEqual([]);
  });

  test('speaks of null only where a field can be null: REST omits a field that has no value', () => {
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      for (const [field, { description, nullable = false }] of Object.entries(properties)) {
        if (!nullable) expect(description, `${name}.${field}`).not.toMatch(/null/i);
      }
    }
  });
});
