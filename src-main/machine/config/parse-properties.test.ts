import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { board, configOf, motor, parse, sensor } from './config.fixture.ts';
import type { JsonObject } from '../../apis/resource.ts';

const isValidatorLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/ajv/'));

it('a right configuration is read without loading the schema validator', () => {
  expect(parse({ components: [board(), motor(), sensor()] }).problems).toEqual([]);
  expect(isValidatorLoaded()).toBe(false);
  parse({ components: [motor('left', { max_rpm: 'x' })] });
  expect(isValidatorLoaded()).toBe(true);
});

/** Keys of the document whose places may hold any value. */
const anything = fc.jsonValue({ maxDepth: 2 });
const entry = fc.record(
  {
    name: fc.oneof(fc.constantFrom('a', 'b', 'bench'), anything),
    api: fc.oneof(fc.constantFrom('core:component:motor', 'rdk:component:board', 'x:component:y'), anything),
    model: fc.oneof(fc.constantFrom('gpio', 'fake', 'a:b:c'), anything),
    attributes: fc.oneof(
      fc.record({
        board: fc.oneof(fc.constantFrom('bench', '${environment.X}'), anything),
        pins: anything,
        watch: anything,
      }),
      anything,
    ),
    depends_on: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'core:component:motor/a')), anything),
    log_configuration: anything,
    service_configs: anything,
    disabled: anything,
    notes: anything,
    namespace: anything,
    type: anything,
    module_id: anything,
    env: anything,
    version: anything,
  },
  { requiredKeys: [] },
);
const list = fc.oneof(fc.array(entry, { maxLength: 4 }), anything);
const document = fc.record(
  {
    components: list,
    services: list,
    modules: list,
    network: fc.oneof(
      anything,
      fc.record({
        bind_address: anything,
        sessions: anything,
        allowed_origins: anything,
        traffic_tunnel_endpoints: anything,
      }),
    ),
    auth: fc.oneof(
      anything,
      fc.record({ handlers: fc.oneof(anything, fc.array(fc.record({ type: anything, config: anything }))) }),
    ),
    log: fc.oneof(anything, fc.array(fc.record({ pattern: fc.string(), level: fc.constantFrom('info', 'x') }))),
    maintenance: fc.oneof(anything, fc.record({ sensor_name: anything, maintenance_allowed_key: anything })),
    debug: anything,
    revision: anything,
  },
  { requiredKeys: [] },
);

it('never throws, whatever the document, and gives every problem a place', () => {
  fc.assert(
    fc.property(fc.oneof(document, anything), (value) => {
      for (const problem of parse(JSON.stringify(value)).problems) {
        expect(problem.line, JSON.stringify(problem)).toBeGreaterThan(0);
        expect(problem.column).toBeGreaterThan(0);
        expect(problem.message).not.toMatch(/undefined|\[object/);
      }
    }),
    { numRuns: 300 },
  );
}, 60_000);

it('never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      const { config, problems } = parse(text);
      expect(config !== undefined || problems.length > 0).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('whatever becomes of one entry, the others stay as they are', () => {
  const entries: JsonObject[] = [board(), motor('left'), motor('right', { max_rpm: 5 }), sensor(), sensor('cold')];
  const before = configOf({ components: entries }).resources;
  // Dependencies of others are left out: those then wait, which is right.
  const index = fc.integer({ min: 1, max: entries.length - 1 });
  const damage = fc.oneof(
    anything,
    fc.tuple(
      fc.constantFrom('name', 'api', 'model', 'attributes', 'depends_on', 'disabled', 'notes', 'type', 'x'),
      anything,
    ),
  );
  fc.assert(
    fc.property(index, damage, (at, harm) => {
      const isField = Array.isArray(harm) && harm.length === 2 && typeof harm[0] === 'string';
      const damaged = isField ? { ...entries[at], [harm[0] as string]: harm[1] } : harm;
      const { config } = parse({ components: entries.with(at, damaged as JsonObject) });
      const others = config?.resources.filter((resource) => resource.pointer !== `/components/${at}`);
      expect(others).toEqual(before.filter((_, other) => other !== at));
    }),
    { numRuns: 200 },
  );
});
