import { describe, expect, it } from 'vitest';
import { moduleNameFor, registryModuleEntry } from './module-entry.ts';
import { runsOn } from './platforms.ts';

describe('a module that is added', () => {
  it('has the conventional name, the id and latest', () => {
    expect(registryModuleEntry('acme:motors', new Set())).toEqual({
      type: 'registry',
      name: 'acme_motors',
      module_id: 'acme:motors',
      version: 'latest',
    });
  });

  it('gets the next free name, which is valid for a module', () => {
    expect(moduleNameFor('acme:motors', new Set(['acme_motors', 'acme_motors-2']))).toBe('acme_motors-3');
    expect(moduleNameFor('-x:y z', new Set())).toBe('x_y_z');
  });
});

describe('platforms of packages', () => {
  it.each([
    [['linux/amd64'], true],
    [['linux/any'], true],
    [['any/amd64'], true],
    [['any'], true],
    [['linux/arm64', 'darwin/amd64', 'windows/any'], false],
    [[], false],
  ])('%j on linux/amd64: %s', (platforms, fits) => {
    expect(runsOn(platforms, 'linux/amd64')).toBe(fits);
  });
});
