import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/reading/parse-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import { planChange } from '../config/plan/planner.ts';
import { builtinCatalog } from '../models/catalog.ts';
import { deferredPart } from './deferred-part.ts';

const door = { name: 'door', api: 'core:component:sensor', model: 'fake' };
const base = { components: [door], modules: [{ type: 'local', name: 'm', executable_path: '/m', module_id: 'a:m' }] };

function planTo(changed: Record<string, unknown>): Plan {
  const configOf = (document: unknown) => {
    const { config } = parseConfig(JSON.stringify(document), { file: '', environment: {}, catalog: builtinCatalog });
    if (config === undefined) throw new Error('the document has errors');
    return config;
  };
  return planChange(configOf(base), configOf({ ...base, ...changed }), builtinCatalog);
}

const [module] = base.modules;

describe('what waits for the maintenance window', () => {
  it.each([
    ['nothing at all', {}],
    ['levels of logs', { log: [{ pattern: 'core.*', level: 'debug' }] }],
    ['debug and repeats', { debug: true, disable_log_deduplication: true }],
    ['the level of a resource', { components: [{ ...door, log_configuration: { level: 'debug' } }] }],
    ['notes', { components: [{ ...door, notes: 'oiled' }] }],
    ['the level of a module', { modules: [{ ...module, log_level: 'debug' }] }],
  ])('not %s', (_what, changed) => {
    expect(deferredPart(planTo(changed))).toBeUndefined();
  });

  it.each([
    ['something new', { components: [door, { ...door, name: 'window' }] }],
    ['something that goes', { components: [] }],
    ['new attributes, in place too', { components: [{ ...door, attributes: { readings: { a: 1 } } }] }],
    ['something disabled', { components: [{ ...door, disabled: true }] }],
    ['what is captured', { components: [{ ...door, service_configs: [{ type: 'data_manager' }] }] }],
    ['a module', { modules: [{ ...module, executable_path: '/other' }] }],
    ['the network', { network: { allowed_origins: ['http://a.test'] } }],
    ['the address', { network: { bind_address: 'localhost:1234' } }],
    ['who may call', { auth: { handlers: [{ type: 'api-key', config: { 'my-id': 'my-key', keys: ['my-id'] } }] } }],
    ['the window itself', { maintenance: { sensor_name: 'core:component:sensor/door', maintenance_allowed_key: 'k' } }],
  ])('%s', (_what, changed) => {
    const plan = planTo(changed);
    expect(deferredPart(plan)).toMatchObject({ resources: plan.resources, modules: plan.modules });
  });

  it('leaves out of what is shown what is in force already', () => {
    const held = deferredPart(planTo({ debug: true, components: [] }));
    expect(held?.settings).toEqual([]);
    expect(held?.summary).toBe('door: removed');
  });
});
