import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ModuleServiceDefinition } from '../../proto/gen/core/module/v1/module.ts';
import { buildModuleSdk } from '../../build/module-sdk.ts';
import { boardApi } from '../apis/board.ts';
import type { Board } from '../apis/board/types.ts';
import { counterDescriptors } from './testing/counter-descriptors.ts';
import { componentConfig, TestParent } from './testing/test-parent.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** The examples of the README, run as an author's own programs. */
describe('README.md', () => {
  let folder: string;
  let examples: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-readme-'));
    const text = await readFile(path.join(import.meta.dirname, 'README.md'), 'utf8');
    examples = [...text.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
    await writeFile(path.join(folder, 'counter.binpb'), counterDescriptors);
    await buildModuleSdk(repository, path.join(folder, 'sdk'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const [model, test, api] = [0, 1, 2];
  const run = 'void runModule';
  /** Puts examples into one program, which runs once, when it is complete. */
  const programOf = async (name: string, code: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, code.replaceAll(`'@armature-machine/module'`, `'./sdk/index.js'`));
    return file;
  };

  it('has examples that compile', async () => {
    expect(examples).toHaveLength(3);
    const file = path.join(folder, 'all.ts');
    await writeFile(file, examples.join('\n'));
    const program = ts.createProgram([file], {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      typeRoots: [path.join(repository, 'node_modules/@types')],
      types: ['node'],
      paths: { '@armature-machine/module': [path.join(folder, 'sdk/index.d.ts')] },
    });
    const problems = ts.getPreEmitDiagnostics(program).map(({ messageText, file: where, start = 0 }) => {
      const line = where?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${where?.fileName ?? ''}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
    expect(problems).toEqual([]);
  });

  it('has a model that a machine runs, and a test of it that passes', async () => {
    const code = `${examples[model]}\n${examples[test]?.replace(/^import .*runModule.*$/m, '')}\nconsole.log('tested');`;
    const board = { name: 'main', readAnalog: async () => ({ value: 200, min: 0, max: 5, step: 1 }) };
    const machine = await TestParent.start({
      program: await programOf('model.ts', code),
      resources: [{ api: boardApi, resource: board as unknown as Board }],
    });
    try {
      await machine.until('its test passed', () => machine.printed.includes('tested'));
      const config = componentConfig('core:component:sensor', 'roof', 'acme:weather:thermometer', {
        board: 'main',
        analog: 'a1',
      });
      expect(await machine.call(ModuleServiceDefinition, 'validateConfig', { config })).toEqual({
        dependencies: ['main'],
        optionalDependencies: [],
      });
      await machine.add(config, ['rdk:component:board/main']);
      const request = { name: 'roof', extra: undefined };
      expect(await machine.call(SensorServiceDefinition, 'getReadings', request)).toEqual({
        readings: { celsius: 20 },
      });
    } finally {
      await machine.close();
    }
  });

  it('has an API that a machine finds', async () => {
    const own = `${examples[model]?.replace(run, 'const unused = () => runModule')}\n${examples[api]}`;
    const machine = await TestParent.start({
      program: await programOf('api.ts', `${own}\nvoid runModule({ models: [counter] });`),
    });
    try {
      const { handlermap } = await machine.ready();
      expect(handlermap?.handlers[0]).toMatchObject({
        subtype: { subtype: { namespace: 'acme', subtype: 'counter' }, protoService: 'acme.counter.v1.CounterService' },
        models: ['acme:weather:counter'],
      });
      await machine.add(componentConfig('acme:component:counter', 'turns', 'acme:weather:counter'));
    } finally {
      await machine.close();
    }
  });
});
