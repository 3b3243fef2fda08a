import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageServiceDefinition, PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { onnxFile } from '../../hub/registry/testing/upload-package.ts';
import { TestLink } from '../../machine/packages/testing/test-registry.ts';
import { ModelFiles } from '../../machine/packages/models/model-files.ts';
import { openGrpcCaller } from '../../rpc/peer/grpc-caller.ts';
import { readCommandLine } from '../module-commands/module-io.ts';
import { hubOptions, RemoteCaller } from '../module-commands/registry/remote-caller.ts';
import { CommandHub } from '../testing/command-hub.ts';
import { modelCommand } from './model-command.ts';

describe('armature model', () => {
  let bench: CommandHub;

  beforeEach(async () => {
    bench = await CommandHub.open();
    const { folder } = bench;
    await writeFile(path.join(folder, 'best.onnx'), onnxFile(100_000));
    await writeFile(path.join(folder, 'labels.txt'), 'nut\nbolt\n\n');
  });

  afterEach(() => bench.close());

  const run = (...args: string[]): Promise<number> => bench.run(modelCommand, args);
  const upload = (version: string, ...more: string[]): Promise<number> =>
    run('upload', 'best.onnx', '--name', 'parts', '--version', version, ...more);

  it('uploads a model with its labels, lists it, and deletes it', async () => {
    expect(await upload('1.0.0', '--labels', 'labels.txt', '--type', 'object_detection', '--json')).toBe(0);
    const told = JSON.parse(bench.out) as { package: string };
    expect(told).toMatchObject({ version: '1.0.0', model_framework: 'onnx', labels: ['nut', 'bolt'] });
    expect(await run('list', '--json')).toBe(0);
    expect(JSON.parse(bench.out)).toMatchObject([
      {
        package: told.package,
        name: 'parts',
        versions: [{ version: '1.0.0', model_type: 'object_detection', labels: ['nut', 'bolt'] }],
      },
    ]);
    expect(await upload('1.0.0')).toBe(1);
    expect(bench.errors).toMatch(/parts 1.0.0 is there already/);
    expect(await run('list')).toBe(0);
    expect(bench.out).toMatch(/1\.0\.0 {2}\d{4}-\d\d-\d\d {2}[\d,]+ bytes {2}onnx {2}object_detection {2}2 labels/);
    expect(await run('delete', 'parts', '1.0.0')).toBe(0);
    expect(await run('delete', 'parts', '1.0.0')).toBe(1);
    expect(await run('list')).toBe(0);
    expect(bench.out).toBe('no models\n');
  });

  it.each([
    [['upload', 'labels.txt', '--name', 'a', '--version', '1'], /is no \.onnx and no \.tflite file/],
    [['upload', 'text.onnx', '--name', 'a', '--version', '1'], /no ONNX model/],
    [['upload', 'best.onnx', '--name', 'a b', '--version', '1'], /name "a b" is not allowed/],
    [['upload', 'best.onnx', '--name', 'a', '--version', 'latest'], /it is the name of a channel/],
    [['upload', 'best.onnx', '--name', 'a', '--version', '1', '--type', 'x'], /--type is "x"/],
    [['upload', 'best.onnx', '--name', 'a', '--version', '1', '--labels', 'empty.txt'], /It has no label/],
    [['upload', 'best.onnx', '--version', '1'], /--name is missing/],
  ])('refuses %j before anything is sent', async (args, message) => {
    await writeFile(path.join(bench.folder, 'text.onnx'), 'this is only text');
    await writeFile(path.join(bench.folder, 'empty.txt'), '\n');
    expect(await run(...args)).toBe(2);
    expect(bench.errors).toMatch(message);
    await run('list');
    expect(bench.out).toBe('no models\n');
  });

  it('stores what public clients fetch by the URL that they are given, and what machines of ours download', async () => {
    await upload('1.0.0');
    const { folder, hub, io } = bench;
    const line = readCommandLine([], hubOptions, 0);
    const remote = await RemoteCaller.hub(line, io);
    const id = `${hub.firstStart?.organizationId ?? ''}/parts`;
    const request = { id, version: 'latest', includeUrl: true, type: PackageType.ML_MODEL, platform: undefined };
    const { package: found } = await remote.call(PackageServiceDefinition, 'getPackage', request);
    remote.close();
    expect(found?.url).toBe(`${hub.url}/packages/${id.replace('/', '/ml_model/')}/1.0.0.tar.gz`);
    const headers = { key_id: io.env['SVC_API_KEY_ID'] ?? '', key: io.env['SVC_API_KEY'] ?? '' };
    const response = await fetch(found?.url ?? '', { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-gzip']);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect((await fetch(found?.url ?? '')).status).toBe(401);

    const { port } = new URL(hub.url);
    const token = await RemoteCaller.hub(line, io);
    const link = new TestLink(() => ({
      ...openGrpcCaller({ text: '', host: '127.0.0.1', port: Number(port), isEncrypted: false }),
      start: token.start,
    }));
    const machine = new ModelFiles({
      folder: path.join(folder, 'home', 'packages'),
      machine: 'part-1',
      link,
      platform: { platform: 'linux/amd64', tags: [] },
      clock: systemClock,
      random: () => 0,
      logger: silentLogger,
    });
    const there = new Promise<void>((resolve) =>
      machine.onChange(({ isReplaced }) => {
        if (isReplaced) resolve();
      }),
    );
    machine.configure([{ name: 'eye', package: id, type: 'ml_model', version: 'latest', pointer: '', problems: [] }]);
    await there;
    const model = await readFile(path.join(machine.pathOf('ml_model', 'eye'), 'parts.onnx'));
    expect(model.equals(onnxFile(100_000))).toBe(true);
    await machine.close();
    token.close();
  });
});
