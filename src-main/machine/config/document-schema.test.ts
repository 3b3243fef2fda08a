import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { documentSchema } from '../../../proto/config/schema/document-schema.ts';
import { ownKeywords } from '../../../proto/config/schema/json-schema.ts';
import { board, motor, parse, sensor } from './config.fixture.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
ajv.addVocabulary([...ownKeywords]);
const validate = ajv.compile(documentSchema);

const module = { name: 'm', type: 'registry', module_id: 'a:b', version: '1.*' };
const trigger = {
  name: 't',
  event: { type: 'part_online' },
  notifications: [{ type: 'email', value: 'ann@example.com', seconds_between_notifications: 60 }],
};
const key = { type: 'api-key', config: { k: 'secret', keys: ['k'] } };
const job = { name: 'j', schedule: '5s', resource: 'heat', method: 'GetReadings' };

describe('the schema of the document and the parser agree', () => {
  it.each([
    [{}],
    [{ components: [board(), motor(), sensor()], debug: true, revision: 'x' }],
    [{ components: [{ name: 's', type: 'sensor', namespace: 'rdk', model: 'fake', notes: '', disabled: true }] }],
    [{ components: [{ name: 's', api: { subtype: 'sensor' }, model: 'fake', log_configuration: { level: 'Debug' } }] }],
    [{ services: [{ api: 'acme:service:x', model: 'a:b:c', depends_on: [] }] }],
    [{ modules: [module, { ...module, name: 'n', type: 'local', executable_path: '/x', env: { A: 'b' } }] }],
    [
      {
        network: { bind_address: ':0', sessions: { heartbeat_window: '1m' }, traffic_tunnel_endpoints: [{ port: 1 }] },
      },
    ],
    [{ auth: { handlers: [key] } }],
    [{ log: [{ pattern: '*', level: 'WARNING' }] }],
    [{ maintenance: { sensor_name: 'core:component:sensor/s', maintenance_allowed_key: 'k' } }],
    [{ triggers: [], fragments: ['x'], tracing: {}, jobs: [], agent: {} }],
    [{ triggers: [trigger] }],
    [{ components: [sensor()], jobs: [job, { ...job, name: 'k', command: { a: 1 }, method: 'DoCommand' }] }],
  ])('on the right document %j', (document) => {
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(parse(document).problems.filter((p) => p.severity === 'error')).toEqual([]);
  });

  it.each([
    [{ componets: [] }],
    [{ components: {} }],
    [{ jobs: {} }],
    [{ jobs: [7] }],
    [{ jobs: [{ ...job, name: '' }] }],
    [{ jobs: [{ ...job, schedule: undefined }] }],
    [{ jobs: [{ ...job, schedule: 5 }] }],
    [{ jobs: [{ ...job, method: 'DoCommand', command: [] }] }],
    [{ components: [7] }],
    [{ components: [{ ...board(), name: 'a b' }] }],
    [{ components: [{ ...board(), name: undefined }] }],
    [{ components: [{ ...board(), api: undefined }] }],
    [{ components: [{ ...board(), model: undefined }] }],
    [{ components: [{ ...board(), model: 'a:b' }] }],
    [{ components: [{ ...board(), api: 'motor' }] }],
    [{ components: [{ ...board(), api: { subtype: 3 } }] }],
    [{ components: [{ ...board(), attributes: [] }] }],
    [{ components: [{ ...board(), depends_on: 'x' }] }],
    [{ components: [{ ...board(), depends_on: [1] }] }],
    [{ components: [{ ...board(), disabled: 'no' }] }],
    [{ components: [{ ...board(), log_configuration: { level: 'x' } }] }],
    [{ components: [{ ...board(), attribute: {} }] }],
    [{ modules: [{ ...module, name: 'parent' }] }],
    [{ modules: [{ ...module, type: 'x' }] }],
    [{ modules: [{ ...module, version: 'x' }] }],
    [{ modules: [{ ...module, module_id: 'x' }] }],
    [{ modules: [{ ...module, env: { A: 1 } }] }],
    [{ modules: [{ ...module, first_run_timeout: 'x' }] }],
    [{ network: [] }],
    [{ network: { no_tls: 1 } }],
    [{ network: { sessions: { heartbeat_window: 'soon' } } }],
    [{ network: { traffic_tunnel_endpoints: [{}] } }],
    [{ auth: { handlers: [{ ...key, type: 'x' }] } }],
    [{ auth: { handlers: [{ ...key, config: { k: 'x' } }] } }],
    [{ auth: { handlers: [{ ...key, config: { keys: [] } }] } }],
    [{ log: [{ pattern: '*' }] }],
    [{ log: [{ pattern: '', level: 'info' }] }],
    [{ log: [{ pattern: '*', level: 'loud' }] }],
    [{ maintenance: { sensor_name: 's', maintenance_allowed_key: 'k' } }],
    [{ maintenance: { sensor_name: 'core:component:sensor/s' } }],
    [{ debug: 'x' }],
    [{ triggers: {} }],
    [{ triggers: [{ ...trigger, event: {} }] }],
    [{ triggers: [{ ...trigger, notifications: [] }] }],
    [{ triggers: [{ ...trigger, disabled: 'no' }] }],
    [{ triggers: [{ ...trigger, evnt: {} }] }],
  ])('on the wrong document %j', (document) => {
    const plain: unknown = JSON.parse(JSON.stringify(document));
    expect(validate(plain)).toBe(false);
    expect(parse(plain).problems).not.toEqual([]);
  });
});
