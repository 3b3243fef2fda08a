import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandlerDefinition } from '../../../proto/gen/core/module/v1/module.ts';
import { readHandlers } from './run/offered-models.ts';
import { parseStat } from './process/process-table.ts';
import { LONGEST_SOCKET_PATH, StartFolders } from './process/start-folder.ts';

function handler(namespace: string, subtype: string, service: string, ...models: string[]): HandlerDefinition {
  return { subtype: { subtype: { namespace, type: 'component', subtype, name: '' }, protoService: service }, models };
}

describe('what a module offers', () => {
  it('is read into our spelling, other APIs and models included', () => {
    const { models, problems } = readHandlers({
      handlers: [
        handler('rdk', 'motor', 'viam.component.motor.v1.MotorService', 'acme:motors:left', 'rdk:builtin:x'),
        handler('acme', 'gizmo', 'acme.gizmo.v1.GizmoService', 'acme:motors:gizmo'),
      ],
    });
    expect(problems).toEqual([]);
    expect(models).toEqual([
      { api: 'core:component:motor', model: 'acme:motors:left', service: 'core.component.motor.v1.MotorService' },
      { api: 'core:component:motor', model: 'core:builtin:x', service: 'core.component.motor.v1.MotorService' },
      { api: 'acme:component:gizmo', model: 'acme:motors:gizmo', service: 'acme.gizmo.v1.GizmoService' },
    ]);
  });

  it('is told of and left out where it makes no sense', () => {
    const { models, problems } = readHandlers({
      handlers: [
        { subtype: undefined, models: ['acme:a:b'] },
        handler('rdk', 'motor', 'no service', 'acme:motors:left'),
        handler('rdk', 'motor', 'a.B', 'left', 'acme:motors:left', 'acme:motors:left'),
      ],
    });
    expect(models).toHaveLength(1);
    expect(problems).toEqual([
      '"::" is no API: write namespace:component:name or namespace:service:name',
      'the API core:component:motor names "no service" as its gRPC service, which is no full name of one',
      '"left" of core:component:motor is no model: write namespace:module:name',
    ]);
    expect(readHandlers(undefined)).toEqual({ models: [], problems: [] });
  });
});

describe('folders of sockets', () => {
  it('are for their owner alone, another for each start, and short enough', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'sockets-'));
    const folders = new StartFolders([`${parent}/${'x'.repeat(90)}`, parent]);
    const [first, second] = [folders.open(), folders.open()];
    expect(first.path).not.toBe(second.path);
    expect(first.parentSocket.length).toBeLessThanOrEqual(LONGEST_SOCKET_PATH);
    for (const folder of [folders.base, first.path]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    await folders.close();
    rmSync(parent, { recursive: true });
  });

  it('that cannot be made are told of, with the next step', () => {
    expect(() => new StartFolders(['/nowhere']).open()).toThrow(/cannot be made in \/nowhere .* TMPDIR/);
    expect(() => new StartFolders([`/${'x'.repeat(100)}`]).open()).toThrow(/is too long for the sockets/);
  });
});

describe('the list of processes', () => {
  it('is read behind a name that holds anything', () => {
    const line = '42 (a) b (c) Z 1 41 40 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 1234 1000 10';
    expect(parseStat(42, line)).toEqual({
      pid: 42,
      parent: 1,
      group: 41,
      isZombie: true,
      startTicks: 1234,
      cpuTicks: 12,
    });
  });
});
