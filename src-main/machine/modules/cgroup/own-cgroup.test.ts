import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownCgroup } from './own-cgroup.ts';

const unified =
  '24 18 0:22 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';
const hybrid = [
  '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
  '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
  '40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd',
  '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
].join('\n');

describe('the cgroup of a process', () => {
  it('is found where the only tree is of version 2', () => {
    expect(ownCgroup(unified, '0::/system.slice/armature.service\n')).toBe(
      '/sys/fs/cgroup/system.slice/armature.service',
    );
  });

  it('is found beside trees of version 1, whatever those say', () => {
    const memberships = '9:name=systemd:/other\n4:memory:/another/one\n0::/own\n';
    expect(ownCgroup(hybrid, memberships)).toBe('/sys/fs/cgroup/unified/own');
    expect(ownCgroup(hybrid, '1:cpu:/\n0::/\n')).toBe('/sys/fs/cgroup/unified');
  });

  it('is found where only a part of the tree is mounted, if it is in that', () => {
    const part = '24 18 0:22 /docker/1f /sys/fs/cgroup rw - cgroup2 cgroup rw';
    expect(ownCgroup(part, '0::/docker/1f/app')).toBe('/sys/fs/cgroup/app');
    expect(ownCgroup(part, '0::/docker/1f')).toBe('/sys/fs/cgroup');
    expect(ownCgroup(part, '0::/docker/1f2')).toBeUndefined();
    expect(ownCgroup(`${part}\n${unified}`, '0::/elsewhere')).toBe('/sys/fs/cgroup/elsewhere');
  });

  it.each([
    ['there is no such tree', hybrid.split('\n').slice(0, 3).join('\n'), '0::/own'],
    ['the process is in none', unified, '4:memory:/own'],
    ['it is outside of the namespace', unified, '0::/../other'],
    ['it was removed', unified, '0::/own (deleted)'],
    ['nothing is known', '', ''],
  ])('is not known where %s', (_why, mounts, memberships) => {
    expect(ownCgroup(mounts, memberships)).toBeUndefined();
  });

  it('is found in a place of any name', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => /^[^/\n\r\0]+$/.test(text) && !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(name, (place) => {
        const escaped = place.replaceAll(/[ \t\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
        expect(ownCgroup(`1 2 0:3 / /${escaped} rw - cgroup2 cgroup2 rw`, '0::/own')).toBe(`/${place}/own`);
      }),
    );
  });
});
