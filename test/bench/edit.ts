import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An edit of a build that does without something. */
export interface Edit {
  /** In the build. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** What is needed beside it. */
  readonly imports?: string;
}

/**
 * A copy of the build beside it, with the edit.
 *
 * @param build has a folder such as `dist`
 * @returns the folder of the copy, which whoever asked for it removes
 * @throws {Error} when what is to be replaced is no longer there
 */
export function editedCopy({ folder }: { readonly folder: string }, edit: Edit): string {
  const code = editedCode(folder, edit);
  const copy = mkdtempSync(`${folder}.without-`);
  cpSync(folder, copy, { recursive: true });
  writeFileSync(join(copy, edit.file), code);
  return copy;
}

/**
 * The file that is edited, as it is afterwards.
 *
 * @throws {Error} when what is to be replaced is no longer there
 */
export function editedCode(folder: string, { file, replace, by, imports = '' }: Edit): string {
  const code = readFileSync(join(folder, file), 'utf8');
  if (code.split(replace).length !== 2) throw new Error(`${file} of the build does not have "${replace}" once.`);
  return imports + code.replace(replace, by);
}
