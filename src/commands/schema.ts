import { mkdir, writeFile } from 'node:fs/promises';
import { printGraphQL, printOpenApi } from '../app.ts';
import { compileRoutes } from '../rest/compile.ts';
import { describeRoutes, routes } from '../routes.ts';
import { schema } from '../schema.ts';
import { runCommand } from './command.ts';

runCommand(async () => {
  const endpoints = compileRoutes(schema, routes, '/lifecycle');
  await mkdir('schema', { recursive: true });
  await writeFile('schema/schema.graphql', printGraphQL());
  await writeFile('schema/openapi.json', printOpenApi(describeRoutes(endpoints, '')));
});
