import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An edit of a build that removes something. */
export interface Edit {
  /** Its path in the build. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** Further imports that the edit needs. */
  readonly imports?: string;
}

/**
 * Makes an edited copy of the build beside it.
 *
 * @param build has a folder such as `dist`
 * @returns the folder of the copy, which the caller removes
 * @throws {Error} if the code to replace is missing
 */
export function editedCopy({ folder }: { readonly folder: string }, edit: Edit): string {
  const code = editedCode(folder, edit);
  const copy = mkdtempSync(`${folder}.without-`);
  cpSync(folder, copy, { recursive: true });
  writeFileSync(join(copy, edit.file), code);
  return copy;
}

/**
 * The edited content of the file.
 *
 * @throws {Error} if the code to replace is missing
 */
export function editedCode(folder: string, { file, replace, by, imports = '' }: Edit): string {
  const code = readFileSync(join(folder, file), 'utf8');
  if (code.split(replace).length !== 2) throw new Error(`${file} of the build does not have "${replace}" once.`);
  return imports + code.replace(replace, by);
}
