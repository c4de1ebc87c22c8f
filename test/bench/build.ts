import { runToEnd } from './processes.ts';

/** Builds the program of `npm start`. */
export async function buildService(root: string): Promise<void> {
  await runToEnd('npm run build', {
    program: 'npm',
    args: ['run', '--silent', 'build'],
    folder: root,
    environment: {},
  });
}
