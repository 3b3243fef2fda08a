import { beforeEach, describe, expect, it } from 'vitest';
import { ResourceStatus_State } from '../../../proto/gen/core/robot/v1/status.ts';
import { resource } from '../graph/testing/graph-fixture.ts';
import { FakeModule, motorModel } from '../modular/testing/fake-module.ts';
import { ModularFixture } from '../modular/testing/modular-fixture.ts';
import { toWireStatus } from './machine-status.ts';

let fixture: ModularFixture;

beforeEach(() => {
  fixture = new ModularFixture();
});

/** The state sent to public clients: `READY`, `UNHEALTHY its board failed: ...`. */
function told(name: string): string {
  const status = fixture.graph.statuses().find((one) => one.name === name);
  if (status === undefined) return 'gone';
  const { state, error } = toWireStatus(status, '', 'viam');
  const [word] = Object.entries(ResourceStatus_State).find(([, value]) => value === state) ?? [];
  return `${word} ${error}`.trim();
}

const motor = (name: string, dependsOn: string[] = []) =>
  resource(name, {}, { api: motorModel.api, model: motorModel.model, dependsOn });

describe('the public status of a resource', () => {
  it('is CONFIGURING without an error only while it, or what it waits for, is being configured', async () => {
    fixture.world.gate('board');
    await fixture.apply(
      resource('board'),
      resource('left', { needs: ['board'] }),
      resource('arm', { needs: ['left'] }),
    );
    expect(['board', 'left', 'arm'].map(told)).toEqual(['CONFIGURING', 'CONFIGURING', 'CONFIGURING']);
    fixture.world.release('board');
    await fixture.rest();
    expect(['board', 'left', 'arm'].map(told)).toEqual(['READY', 'READY', 'READY']);
  });

  it('is UNHEALTHY with the reason where something that it needs is missing, also next to what is on its way', async () => {
    fixture.world.gate('board');
    const needs = ['board', 'nowhere'];
    await fixture.apply(resource('board'), resource('left', { needs }), resource('arm', { needs: ['left'] }));
    expect(told('left')).toBe('UNHEALTHY waiting for nowhere, which is not configured (and 1 more)');
    expect(told('arm')).toContain('waiting for nowhere, which is not configured');
    fixture.world.release('board');
    await fixture.rest();
    expect(told('left')).toBe('UNHEALTHY waiting for nowhere, which is not configured');
    expect(told('arm')).toMatch(/^UNHEALTHY .*waiting for nowhere, which is not configured/);
  });

  it('stays UNHEALTHY with the reason while what failed is tried again, and so does what needs it', async () => {
    fixture.world.broken.add('board');
    await fixture.apply(resource('board'), resource('left', { needs: ['board'] }));
    const before = ['board', 'left'].map(told);
    expect(before).toEqual(['UNHEALTHY board is broken', 'UNHEALTHY its generic board failed: board is broken']);
    fixture.world.gate('board');
    await fixture.pass(1_000);
    expect(fixture.world.running.get('board')).toBe(1);
    expect(['board', 'left'].map(told)).toEqual([
      'UNHEALTHY board is broken',
      expect.stringMatching(/^UNHEALTHY its generic board failed: board is broken/),
    ]);
    fixture.world.broken.clear();
    fixture.world.release('board');
    await fixture.rest();
    expect(['board', 'left'].map(told)).toEqual(['READY', 'READY']);
  });

  it('is CONFIGURING while its module starts, and UNHEALTHY with the reason once that has failed, also while it starts again', async () => {
    fixture.directory.lose('acme:parts', 'starting');
    await fixture.apply(motor('left'), resource('arm', {}, { dependsOn: ['left'] }));
    await fixture.pass(60_000);
    expect(['left', 'arm'].map(told)).toEqual(['CONFIGURING', 'CONFIGURING']);
    const crash = 'module acme_parts ended: exit code 1 after 3.2 s';
    fixture.directory.lose('acme:parts', 'failed', crash);
    await fixture.rest();
    expect(told('left')).toBe(`UNHEALTHY ${crash}`);
    expect(told('arm')).toBe(`UNHEALTHY its motor left failed: ${crash}`);
    fixture.directory.lose('acme:parts', 'starting', 'module acme_parts is starting (try 2)');
    await fixture.rest();
    expect(told('left')).toMatch(new RegExp(`^UNHEALTHY waiting for module acme_parts, .*: ${crash}$`));
    expect(told('arm')).toMatch(new RegExp(`^UNHEALTHY .*${crash}$`));
    fixture.directory.run(new FakeModule({ clock: fixture.clock, models: [motorModel] }));
    await fixture.rest();
    expect(['left', 'arm'].map(told)).toEqual(['READY', 'READY']);
  });

  it('is UNHEALTHY where no module has its model or its module is disabled, and UNCONFIGURED where it is disabled', async () => {
    await fixture.apply(motor('left'), resource('off', {}, { isDisabled: true }), resource('arm', { needs: ['off'] }));
    expect(told('left')).toMatch(
      /^UNHEALTHY waiting for a module that provides model acme:parts:turner of rdk:component:motor/,
    );
    expect(told('off')).toBe('UNCONFIGURED');
    expect(told('arm')).toBe('UNHEALTHY waiting for generic off, which is disabled');
    fixture.directory.lose('acme:parts', 'disabled');
    await fixture.rest();
    expect(told('left')).toBe('UNHEALTHY waiting for module acme_parts, which is disabled');
  });
});
