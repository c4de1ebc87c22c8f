import { existsSync } from 'node:fs';

/** The folder of the project, from the sources and from the bundles that are built of them. */
export const PROJECT = folderWith('package.json', new URL('.', import.meta.url));

function folderWith(file: string, folder: URL): URL {
  return existsSync(new URL(file, folder)) ? folder : folderWith(file, new URL('..', folder));
}
