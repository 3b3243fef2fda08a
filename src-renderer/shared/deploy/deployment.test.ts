import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODULE_NAME, RESOURCE_NAME } from '../../../proto/config/names.ts';
import type { DraftEdit, DraftResource } from '../stores/draft-text.ts';
import {
  camerasIn,
  deploymentsOf,
  freeNames,
  modelToDeploy,
  newEntries,
  packagesIn,
  versionChange,
  type DraftParts,
  type ModelToDeploy,
} from './deployment.ts';

type Json = Record<string, unknown>;
interface Entry {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes?: Json;
  readonly disabled?: boolean;
}

const parts: ModelToDeploy = {
  id: 'org-1/parts',
  name: 'parts',
  version: '1.0.0',
  framework: 'onnx',
  modelFile: 'parts.onnx',
  labelsFile: 'labels.txt',
};

/** The parts of a document, as the draft has them. */
function partsOf(root: Json): DraftParts {
  const resources = (['components', 'services'] as const).flatMap((section) =>
    ((root[section] ?? []) as Entry[]).map(
      ({ name, api, model, attributes = {}, disabled = false }, index): DraftResource => ({
        name,
        fullName: `${api}/${name}`,
        api,
        model: `core:builtin:${model}`,
        path: [section, index],
        attributes,
        isDisabled: disabled,
      }),
    ),
  );
  return { packages: packagesIn(root), resources, taken: new Set(resources.map(({ name }) => name)) };
}

/** The document after edits; creates missing lists, and appends what is past their end. */
function edited(root: Json, edits: readonly DraftEdit[]): Json {
  const next = structuredClone(root);
  for (const { path, value } of edits) {
    const [list = '', index = 0, ...keys] = path as [string, number, ...string[]];
    const entries = (next[list] ??= []) as Json[];
    if (keys.length === 0) {
      entries.push(value as Json);
      continue;
    }
    const last = keys.pop() ?? '';
    const holder = keys.reduce<Json>((at, key) => at[key] as Json, entries[index] ?? {});
    if (value === undefined) delete holder[last];
    else holder[last] = value;
  }
  return next;
}

function deployed(root: Json, model = parts, camera = ''): Json {
  const names = freeNames(partsOf(root), model.name);
  return edited(root, newEntries({ model, version: model.version, names, camera }));
}

describe('the entries of a model', () => {
  it('are its package, the service that runs it, and a vision service', () => {
    expect(deployed({}, parts, 'belt')).toEqual({
      packages: [{ name: 'parts', package: 'org-1/parts', type: 'ml_model', version: '1.0.0' }],
      services: [
        {
          name: 'parts-model',
          api: 'core:service:mlmodel',
          model: 'onnx_cpu',
          attributes: {
            package_reference: 'parts',
            model_path: '${packages.ml_model.parts}/parts.onnx',
            label_path: '${packages.ml_model.parts}/labels.txt',
          },
        },
        {
          name: 'parts-vision',
          api: 'core:service:vision',
          model: 'mlmodel',
          attributes: { mlmodel_name: 'parts-model', camera_name: 'belt' },
        },
      ],
    });
  });

  it('name no labels and no camera if there is none', () => {
    const { services } = deployed({}, { ...parts, labelsFile: '' }) as { services: Entry[] };
    expect(services.map(({ attributes }) => Object.keys(attributes ?? {}))).toEqual([
      ['package_reference', 'model_path'],
      ['mlmodel_name'],
    ]);
  });

  it('are only the package if no built-in model runs it', () => {
    expect(Object.keys(deployed({}, { ...parts, framework: 'pytorch' }))).toEqual(['packages']);
    expect(Object.keys(deployed({}, { ...parts, framework: 'constructor' }))).toEqual(['packages']);
  });

  it('are made from a version of the registry', () => {
    const version = { version: '2', framework: 'onnx', modelFile: 'm.onnx', labelsFile: '', modelType: 'unknown' };
    const about = { bytes: 1n, sha256: '', uploadedAt: undefined, uploadedBy: '', labels: [] };
    const model = { id: 'o/m', organizationId: 'o', organizationName: 'O', name: 'm', versions: [], mayChange: false };
    expect(modelToDeploy(model, { ...version, ...about })).toEqual({
      ...{ id: 'o/m', name: 'm', version: '2', framework: 'onnx', modelFile: 'm.onnx', labelsFile: '' },
    });
  });
});

describe('names for them', () => {
  it('get the next free number, each by itself', () => {
    const root = deployed({ components: [{ name: 'parts-2-vision', api: 'core:component:motor', model: 'fake' }] });
    expect(freeNames(partsOf(root), 'parts')).toEqual({
      ...{ package: 'parts-2', runner: 'parts-2-model', vision: 'parts-2-vision-2' },
    });
  });

  const modelName = fc.stringMatching(/^[a-zA-Z0-9][\w-]{0,99}$/);
  it('are always valid, different and free, however often a model is added', () => {
    fc.assert(
      fc.property(modelName, fc.integer({ min: 1, max: 12 }), (name, times) => {
        let root: Json = {};
        for (let time = 0; time < times; time += 1) {
          const before = partsOf(root);
          const names = freeNames(before, name);
          expect(names.package).toMatch(MODULE_NAME);
          expect(names.package.length).toBeLessThanOrEqual(100);
          for (const one of [names.runner, names.vision]) {
            expect(one).toMatch(RESOURCE_NAME);
            expect(before.taken).not.toContain(one);
          }
          expect(names.runner).not.toBe(names.vision);
          expect(before.packages.map((one) => one.name)).not.toContain(names.package);
          root = deployed(root, { ...parts, name });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a deployment of a model', () => {
  it('is found by its package, whatever its name', () => {
    const root = deployed(deployed({}, parts), { ...parts, id: 'org-2/parts' });
    const [one, ...others] = deploymentsOf(partsOf(root), 'org-1/parts');
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      package: { name: 'parts', version: '1.0.0', path: ['packages', 0] },
      users: [{ name: 'parts-model' }],
      visions: [{ name: 'parts-vision' }],
    });
    const services = root['services'] as { attributes: Json }[];
    services[0]!.attributes['model_path'] = '${packages.parts}/parts.onnx';
    services[1]!.attributes['mlmodel_name'] = 'rdk:service:mlmodel/parts-model';
    expect(deploymentsOf(partsOf(root), 'org-1/parts')).toMatchObject([
      { users: [{ name: 'parts-model' }], visions: [{ name: 'parts-vision' }] },
    ]);
  });

  it('is not found in invalid entries', () => {
    expect(packagesIn({ packages: [null, 'parts', []] })).toEqual([]);
    expect(packagesIn({ packages: {} })).toEqual([]);
    expect(deploymentsOf(partsOf({ packages: [{ package: 'org-1/parts' }] }), 'org-1/parts')).toEqual([]);
  });

  it('may use the cameras that are not disabled', () => {
    const components = [
      { name: 'belt', api: 'core:component:camera', model: 'fake' },
      { name: 'off', api: 'core:component:camera', model: 'fake', disabled: true },
      { name: 'left', api: 'core:component:motor', model: 'fake' },
    ];
    expect(camerasIn(partsOf({ components })).map(({ name }) => name)).toEqual(['belt']);
  });
});

describe('another version', () => {
  const change = (root: Json, model: ModelToDeploy): readonly DraftEdit[] => {
    const [deployment] = deploymentsOf(partsOf(root), model.id);
    return versionChange(deployment!, model, model.version);
  };
  const next = { ...parts, version: '2.0.0' };

  it('changes only the version if its files have the same names', () => {
    expect(change(deployed({}), next)).toEqual([{ path: ['packages', 0, 'version'], value: '2.0.0' }]);
    expect(change(deployed({}), parts)).toEqual([]);
  });

  it('changes the names of its files', () => {
    const root = edited(deployed({}), change(deployed({}), { ...next, modelFile: 'new.onnx', labelsFile: '' }));
    expect((root['services'] as Entry[])[0]?.attributes).toEqual({
      package_reference: 'parts',
      model_path: '${packages.ml_model.parts}/new.onnx',
    });
    // And back again.
    expect(edited(root, change(root, parts))).toEqual({
      ...deployed({}),
      services: expect.arrayContaining([
        expect.objectContaining({
          attributes: {
            package_reference: 'parts',
            model_path: '${packages.ml_model.parts}/parts.onnx',
            label_path: '${packages.ml_model.parts}/labels.txt',
          },
        }),
      ]) as unknown,
    });
  });

  it.each<readonly [string, (services: { attributes: Json }[]) => void]>([
    ['of its own in the service', ([runner]) => void (runner!.attributes['label_path'] = '/opt/labels.txt')],
    [
      'of its own in the vision service',
      ([runner, vision]) => {
        delete runner!.attributes['label_path'];
        vision!.attributes['label_path'] = '/opt/labels.txt';
      },
    ],
    ['beside a model from elsewhere', ([runner]) => void (runner!.attributes['model_path'] = '/opt/parts.onnx')],
  ])('leaves labels %s alone', (_what, write) => {
    const root = deployed({});
    write(root['services'] as { attributes: Json }[]);
    const edits = change(root, { ...next, modelFile: 'parts.onnx', labelsFile: 'other.txt' });
    expect(edits).toEqual([{ path: ['packages', 0, 'version'], value: '2.0.0' }]);
  });

  it('can replace every version, and changes nothing of other models', () => {
    const file = fc.constantFrom('a.onnx', 'b.onnx', '');
    const labels = fc.constantFrom('labels.txt', 'l.txt', '');
    const version = fc.constantFrom('1.0.0', '2.0.0', 'latest');
    const any = fc.record({ version, modelFile: file, labelsFile: labels }).map((one) => ({ ...parts, ...one }));
    fc.assert(
      fc.property(any, any, (from, to) => {
        const other = { ...parts, id: 'org-2/parts' };
        const root = deployed(deployed(deployed({}, other), from), other);
        const changed = edited(root, change(root, to));
        expect(change(changed, to)).toEqual([]);
        expect(deploymentsOf(partsOf(changed), other.id)).toEqual(deploymentsOf(partsOf(root), other.id));
        expect(deploymentsOf(partsOf(changed), parts.id)).toMatchObject([
          { package: { version: to.version }, users: [{}], visions: [{}] },
        ]);
      }),
    );
  });
});
