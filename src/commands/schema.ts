import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runCommand } from './run-command.ts';

runCommand('npm run schema -- [--dry-run]', async () => {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' } } });
  const printed = await print();
  if (values['dry-run']) return;
  await mkdir('schema', { recursive: true });
  for (const [file, text] of Object.entries(printed)) await writeFile(file, text);
});

/** Imports dynamically, so that runCommand reports an invalid annotation or route as one line. */
async function print(): Promise<Readonly<Record<string, string>>> {
  const { printDocument, printGraphQL } = await import('../engine/pages/site.ts');
  const { describeEndpoints, describeEvents, endpointsOf } = await import('../engine/application.ts');
  const { petStoreService } = await import('../petstore/service.ts');
  const openApi = describeEndpoints(petStoreService, endpointsOf(petStoreService), '');
  return {
    'schema/schema.graphql': printGraphQL(petStoreService.schema),
    'schema/openapi.json': printDocument(openApi),
    'schema/asyncapi.json': printDocument(describeEvents(petStoreService, openApi, '') ?? {}),
  };
}
