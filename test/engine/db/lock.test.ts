import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockFolder } from '../../../src/engine/db/lock.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';

test('a folder is locked by one process, and released', async () => {
  const folder = makeTemporaryFolder();
  const unlock = await lockFolder(folder.path);
  await expect(lockFolder(folder.path)).rejects.toThrow(`in use by process ${process.pid} on `);
  await unlock();
  await (await lockFolder(folder.path))();
  folder.remove();
});

test.each([
  ['a process that has ended', { pid: 2 ** 30 }, undefined],
  ['a process on another host', { pid: 2 ** 30, host: 'elsewhere' }, `in use by process ${2 ** 30} on elsewhere.`],
  ['a process whose start is not known', { pid: process.pid }, `in use by process ${process.pid} on ${hostname()}.`],
  ['an unknown process', 'no JSON', 'in use by another process.'],
])('the lock of %s is taken over only if it has certainly ended', async (_, holder, message) => {
  const folder = makeTemporaryFolder();
  const text =
    typeof holder === 'string' ? holder : JSON.stringify({ id: 'it', host: hostname(), began: null, ...holder });
  writeFileSync(join(folder.path, 'lock.json'), text);
  const locked = lockFolder(folder.path);
  if (message !== undefined) await expect(locked).rejects.toThrow(message);
  else await (await locked)();
  folder.remove();
});

test('while another process takes a lock over, it is waited for, and named if it does not end', async () => {
  const folder = makeTemporaryFolder();
  const [held, takeover] = ['lock.json', 'lock.takeover.it'].map((name) => join(folder.path, name)) as [string, string];
  writeFileSync(held, JSON.stringify({ id: 'it', pid: 2 ** 30, host: hostname(), began: null }));
  writeFileSync(takeover, '');
  await expect(lockFolder(folder.path)).rejects.toThrow(`(If not, remove ${takeover}.)`);
  const locked = lockFolder(folder.path);
  rmSync(held);
  rmSync(takeover);
  await (await locked)();
  folder.remove();
});

test('a lock that another process takes over first is left to it', async () => {
  const folder = makeTemporaryFolder();
  const held = join(folder.path, 'lock.json');
  const lockOf = (id: string, pid: number) =>
    writeFileSync(held, JSON.stringify({ id, pid, host: hostname(), began: null }));
  lockOf('earlier', 2 ** 30);
  const kill = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    // While we look whether the process of the lock has ended, another one is faster.
    lockOf('faster', process.pid);
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  await expect(lockFolder(folder.path)).rejects.toThrow(`in use by process ${process.pid} on `);
  kill.mockRestore();
  folder.remove();
});

test('a lock that cannot be read is an error, and is not waited for', async () => {
  const folder = makeTemporaryFolder();
  mkdirSync(join(folder.path, 'lock.json'));
  await expect(lockFolder(folder.path)).rejects.toMatchObject({ code: 'EISDIR' });
  folder.remove();
});

// Other systems do not show the state of a process.
if (process.platform === 'linux') {
  test('the lock of a killed process is taken over, even if its parent process has not taken notice', async () => {
    const folder = makeTemporaryFolder();
    const held = join(folder.path, 'lock.json');
    // `sleep` takes the place of the shell, and knows nothing of the child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
    const [pid] = `${await once(parent.stdout, 'data')}`.split('\n').map(Number) as [number];
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    const began = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${stat()[21]}`;
    writeFileSync(held, JSON.stringify({ id: 'killed', pid, host: hostname(), began }));
    await expect(lockFolder(folder.path)).rejects.toThrow(`in use by process ${pid} on `);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => stat()[2]).toBe('Z');
    await (await lockFolder(folder.path))();
    parent.kill();
    folder.remove();
  });

  test('the lock of a process of another user is taken over only if it is of an earlier start of the system', async () => {
    const folder = makeTemporaryFolder();
    const holder = { id: 'earlier', pid: 1, host: hostname(), began: 'an-earlier-boot/100' };
    writeFileSync(join(folder.path, 'lock.json'), JSON.stringify(holder));
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    const unlock = await lockFolder(folder.path);
    await expect(lockFolder(folder.path)).rejects.toThrow(`in use by process ${process.pid} on `);
    await unlock();
    kill.mockRestore();
    folder.remove();
  });
}
