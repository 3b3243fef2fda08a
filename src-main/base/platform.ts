import { readFileSync } from 'node:fs';
import type { MachinePlatform } from '../../proto/config/module-versions.ts';

const systems: Readonly<Record<string, string>> = { win32: 'windows' };
const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm: 'arm32v7', ia32: '386' };

/** The platform of this computer, in Go's spelling: `linux/amd64`. */
export function platformName(system: string = process.platform, processor: string = process.arch): string {
  return `${systems[system] ?? system}/${processors[processor] ?? processor}`;
}

const OS_RELEASE = '/etc/os-release';
const keys: Readonly<Record<string, string>> = { ID: 'distro', VERSION_ID: 'os_version', VERSION_CODENAME: 'codename' };

/** Tags of a system from its `os-release`: `distro:debian`, `os_version:12`, `codename:bookworm`. */
export function tagsOf(osRelease: string): readonly string[] {
  const tags: string[] = [];
  for (const line of osRelease.split('\n')) {
    const [, key = '', value = ''] = /^([A-Z_]+)=["']?([^"']*)["']?\s*$/.exec(line) ?? [];
    const tag = keys[key];
    if (tag !== undefined && value !== '') tags.push(`${tag}:${value}`);
  }
  return tags;
}

/** What a module's package must match. */
export function thisPlatform(): MachinePlatform {
  return { platform: platformName(), tags: tagsOf(readOsRelease()) };
}

function readOsRelease(): string {
  try {
    return readFileSync(OS_RELEASE, 'utf8');
  } catch {
    return ''; // not Linux, or a Linux without that file
  }
}
