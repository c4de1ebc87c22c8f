import { runToEnd } from './processes.ts';

/** Builds what `npm start` runs. */
export async function buildService(root: string): Promise<void> {
  await runToEnd('npm run build', {
    program: 'npm',
    args: ['run', '--silent', 'build'],
    folder: root,
    environment: {},
  });
}
