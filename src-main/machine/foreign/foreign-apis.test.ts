import { beforeEach, describe, expect, it } from 'vitest';
import { foreignService } from '../../rpc/reflection/foreign-service.ts';
import { gizmoDescriptors } from '../../rpc/testing/foreign-descriptors.ts';
import type { ForeignService } from '../../rpc/router.ts';
import { resource, settle } from '../graph/testing/graph-fixture.ts';
import { ForeignApis } from './foreign-apis.ts';
import { FakeModule, motorModel } from '../modular/testing/fake-module.ts';
import { ModularFixture } from '../modular/testing/modular-fixture.ts';

const API = 'acme:component:gizmo';
const SERVICE = 'acme.gizmo.v1.GizmoService';
const gizmo = { api: API, model: 'acme:parts:gizmo', service: SERVICE };
const described: ForeignService = foreignService(SERVICE, gizmoDescriptors('acme'));
const withStop: ForeignService = {
  ...described,
  methods: [...described.methods, { ...described.methods[0]!, name: 'Stop', path: `/${SERVICE}/Stop` }],
};

let fixture: ModularFixture;
let events: string[];
let answer: () => Promise<ForeignService>;
let asked: number;
let apis: ForeignApis;

function newModule(name = 'acme_parts', moduleId = 'acme:parts'): FakeModule {
  return new FakeModule({ clock: fixture.clock, name, moduleId, models: [gizmo, motorModel] });
}

beforeEach(() => {
  fixture = new ModularFixture();
  events = [];
  asked = 0;
  answer = () => Promise.resolve(described);
  apis = new ForeignApis({
    places: [fixture.modules],
    clock: fixture.clock,
    logger: fixture.world.logger('modules'),
    describe: () => {
      asked++;
      return answer();
    },
    serve: (api, { fullName }) => {
      events.push(`serve ${api} ${fullName}`);
      return () => void events.push(`end ${api}`);
    },
    explain: (service, why) => {
      events.push(`explain ${service}: ${why}`);
      return () => void events.push(`unexplain ${service}`);
    },
  });
  fixture.foreign = apis;
});

describe('an API that only modules have', () => {
  it('is served once however many modules have it, until the last one is gone for good', async () => {
    const [one, two] = [newModule(), newModule('other', 'acme:other')];
    fixture.directory.run(one, two);
    await settle();
    expect(events.splice(0)).toEqual([`serve ${API} ${SERVICE}`]);
    fixture.directory.run(two);
    await settle();
    expect(events.splice(0)).toEqual([]);
    fixture.directory.run();
    expect(events.splice(0)).toEqual([`end ${API}`]);
    expect(asked).toBe(2);
  });

  it('stays while its module starts again, so that callers are told to try again', async () => {
    fixture.directory.run(newModule());
    await settle();
    fixture.directory.lose('acme:parts', 'failed', 'it ended');
    fixture.directory.lose('acme:parts', 'starting');
    fixture.directory.run(newModule());
    await settle();
    expect(events.splice(0)).toEqual([`serve ${API} ${SERVICE}`]);
    answer = () => Promise.resolve({ ...described, descriptors: Uint8Array.of(1) });
    fixture.directory.lose('acme:parts', 'starting');
    fixture.directory.run(newModule());
    await settle();
    expect(events.splice(0)).toEqual([`end ${API}`, `serve ${API} ${SERVICE}`]);
    fixture.directory.lose('acme:parts', 'disabled');
    expect(events.splice(0)).toEqual([`end ${API}`]);
  });

  it('that is not described keeps its resources, says why, and is asked for again', async () => {
    answer = () => Promise.reject(new Error('no reflection here'));
    fixture.directory.run(newModule());
    void fixture.start(resource('g', {}, { api: API, model: gizmo.model }));
    await fixture.rest();
    expect(fixture.told(`${API}/g`)).toBe('ready');
    const why = `the module acme_parts has models of ${API}, but does not describe its service ${SERVICE}: no reflection here`;
    expect(events.splice(0)).toEqual([`explain ${SERVICE}: ${why}`]);
    expect(fixture.logged('warn')).toEqual([`Calls of ${SERVICE} cannot be passed on: ${why}.`]);
    answer = () => Promise.resolve(described);
    await fixture.pass(1_000);
    expect(events.splice(0)).toEqual([`unexplain ${SERVICE}`, `serve ${API} ${SERVICE}`]);
  });

  it('is not asked for without end', async () => {
    answer = () => Promise.reject(new Error('never'));
    fixture.directory.run(newModule());
    await fixture.pass(600_000, 1_000);
    expect(asked).toBe(6);
    expect(fixture.clock.pending).toBe(0);
  });

  it('has instances that are stopped before they are removed where it has Stop', async () => {
    answer = () => Promise.resolve(withStop);
    const module = newModule();
    const stopped: string[] = [];
    const { start } = module.peer;
    Object.assign(module.peer, {
      start: (...head: Parameters<typeof start>) => {
        if (head[0].includes('Gizmo')) stopped.push(head[0]);
        return start(...head);
      },
    });
    fixture.directory.run(module);
    void fixture.start(resource('g', {}, { api: API, model: gizmo.model }));
    await fixture.rest();
    expect(fixture.modules.find(API, gizmo.model)?.isActuator).toBe(true);
    expect([...fixture.graph.actuators()].map(({ fullName }) => fullName)).toEqual([`${API}/g`]);
    void fixture.start();
    await fixture.rest();
    expect(stopped).toEqual([`/${SERVICE}/Stop`]);
  });

  it('nothing is left of it when it is closed', async () => {
    fixture.directory.run(newModule());
    await settle();
    apis.close();
    expect(events).toEqual([`serve ${API} ${SERVICE}`, `end ${API}`]);
    fixture.directory.run();
    expect(events).toHaveLength(2);
  });
});
