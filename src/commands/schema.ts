import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';

runCommand(async () => {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' } } });
  const printed = await print();
  if (values['dry-run']) return;
  await mkdir('schema', { recursive: true });
  for (const [file, text] of Object.entries(printed)) await writeFile(file, text);
});

/** Imports dynamically, so that runCommand reports an invalid annotation or route as one line. */
async function print(): Promise<Readonly<Record<string, string>>> {
  const { printGraphQL, printOpenApi } = await import('../engine/pages/site.ts');
  const { describeEndpoints, endpointsOf } = await import('../engine/application.ts');
  const { petStoreService } = await import('../petstore/service.ts');
  return {
    'schema/schema.graphql': printGraphQL(petStoreService.schema),
    'schema/openapi.json': printOpenApi(describeEndpoints(petStoreService, endpointsOf(petStoreService), '')),
  };
}
