import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An edit of the service that removes something. */
export interface Edit {
  /** Its path in the project. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** Further imports that the edit needs. */
  readonly imports?: string;
}

/** What a build is made of. */
const SOURCES = ['build.js', 'drizzle', 'package.json', 'package-lock.json', 'src', 'tsconfig.json'];

/**
 * Builds an edited copy of the project.
 *
 * @param root the folder of the project
 * @returns the folder of the copy, which the caller removes
 * @throws {Error} if the code to replace is missing, or the build fails: then with its `stderr`
 */
export function editedCopy(root: string, edit: Edit): string {
  const code = editedCode(root, edit);
  const copy = copyOf(root, SOURCES);
  writeFileSync(join(copy, edit.file), code);
  try {
    execFileSync(process.execPath, ['build.js'], { cwd: copy, stdio: 'pipe' });
  } catch (error) {
    rmSync(copy, { recursive: true });
    throw error;
  }
  return copy;
}

/** Copies the project with what was built of it last, which a build of the copy replaces. Returns the folder of the copy. */
export function builtCopy(root: string): string {
  return copyOf(root, [...SOURCES, 'dist']);
}

function copyOf(root: string, names: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'without-'));
  for (const name of names) cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * The edited content of the file.
 *
 * @throws {Error} if the code to replace is missing
 */
export function editedCode(root: string, { file, replace, by, imports = '' }: Edit): string {
  const code = readFileSync(join(root, file), 'utf8');
  if (code.split(replace).length !== 2) throw new Error(`${file} does not have "${replace}" once.`);
  return imports + code.replace(replace, by);
}
