import { existsSync } from 'node:fs';
import path from 'node:path';
import { CannotRun } from './cannot-run.ts';
import { run } from './command.ts';

/**
 * Debian packages that the bench needs, each with a file whose presence shows that it is installed: a path, or a
 * program's name.
 */
export const packages = {
  qemu: { package: 'qemu-system-x86', sign: 'qemu-system-x86_64' },
  ffmpeg: { package: 'ffmpeg', sign: 'ffmpeg' },
  compiler: { package: 'g++', sign: 'g++' },
  make: { package: 'make', sign: 'make' },
  source: { package: 'linux-source-6.1', sign: '/usr/src/linux-source-6.1.tar.xz' },
  flex: { package: 'flex', sign: 'flex' },
  bison: { package: 'bison', sign: 'bison' },
  bc: { package: 'bc', sign: 'bc' },
  xz: { package: 'xz-utils', sign: 'xz' },
  elf: { package: 'libelf-dev', sign: '/usr/include/gelf.h' },
} as const;

export type Need = keyof typeof packages;

function isThere(sign: string): boolean {
  if (sign.startsWith('/')) return existsSync(sign);
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, sign)));
}

/**
 * Installs these if they are missing: with apt where this program is root, else the error says which command to run.
 * @throws CannotRun
 */
export async function need(names: readonly Need[], note: (text: string) => void): Promise<void> {
  const missing = names.map((name) => packages[name]).filter(({ sign }) => !isThere(sign));
  if (missing.length === 0) return;
  const list = missing.map((entry) => entry.package).join(' ');
  const isRoot = process.getuid?.() === 0;
  if (!isThere('apt-get')) {
    throw new CannotRun(`It needs what Debian 12 packages as ${list}, and there is no apt-get here to install it.`);
  }
  if (!isRoot) throw new CannotRun(`Install what it needs once: sudo apt-get install --no-install-recommends ${list}`);
  note(`installing ${list}`);
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...missing.map((entry) => entry.package)];
  process.env['DEBIAN_FRONTEND'] = 'noninteractive';
  // The package lists may be missing or old: only then are they fetched.
  await run('apt-get', install).catch(async () => {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', install);
  });
}
