import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';
import { useGrpcTransport } from './sdk-transport.ts';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'ml_training.py');

/**
 * Stands in for a Python with PyTorch, which takes minutes and is not always installed: this tests only what clients
 * receive. Reports that all packages are installed, and "trains" until the file `finish` exists next to it.
 */
const trainer = `#!/usr/bin/env python3
import json, os, pathlib, sys, time

here = pathlib.Path(__file__).parent
first = sys.argv[1]
if first == "-I" and sys.argv[2] == "-c":
    print(json.dumps({"version": list(sys.version_info[:2]), "missing": []}))
elif first == "-I":
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
else:
    print("Read the pictures.", flush=True)
    while not (here / "finish").exists():
        time.sleep(0.05)
    name = "--model_output_directory="
    folder = pathlib.Path(next(one for one in sys.argv if one.startswith(name)).removeprefix(name))
    (folder / "model.onnx").write_bytes(bytes.fromhex("080812046e6f6e65"))
    (folder / "labels.txt").write_text("bad\\ngood\\n")
    (folder / "model.json").write_text(json.dumps({"metrics": {"f1": 1}}))
`;

/** The training clients of the public SDKs against `armature hub`. */
describe('training jobs, for the public SDKs', () => {
  let hub: HubProcess;
  let remove: () => Promise<void>;
  let tools: string;
  let partId = '';

  beforeAll(async () => {
    const folder = await hubFolder();
    remove = folder.remove;
    tools = await mkdtemp(path.join(os.tmpdir(), 'armature-trainer-'));
    const python = path.join(tools, 'python');
    await writeFile(python, trainer);
    await chmod(python, 0o755);
    hub = await startHub({ data: folder.data, args: ['--no-tls'] });
    const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' });
    const settings = {
      jobsAtOnce: 0,
      python,
      cpus: 0,
      memoryMb: 0,
      diskMb: 0,
      timeLimitMinutes: 0,
      runner: '',
      slurm: undefined,
    };
    await owner.grpc.call(
      HubTrainingServiceDefinition,
      'setTrainingSettings',
      { settings },
      { headers: { authorization: `Bearer ${owner.token}` } },
    );
    const { robots } = await owner.call('listRobotsForOrg', { orgId: hub.organizationId ?? '' });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    partId = parts[0]?.id ?? '';
    owner.close();
  });

  afterAll(async () => {
    expect(await hub.stop()).toBe(0);
    await remove();
    await rm(tools, { recursive: true });
  });

  it('are submitted, listed, followed, canceled and deleted by that for Python', async (context) => {
    const { python, whyNot } = pythonWith(viamSdk);
    if (whyNot !== undefined) context.skip(whyNot);
    const { id = '', secret = '' } = hub.ownerKey ?? {};
    const args = [new URL(hub.url).host, id, secret, partId, hub.organizationId ?? '', path.join(tools, 'finish')];
    const { stdout } = await run(python, [script, ...args], { timeout: 120_000 });
    const job = (version: string, status: string): unknown[] => [
      ...['screws', version, `TRAINING_STATUS_${status}`],
      ['good', 'bad'],
    ];
    const failing = (status: string, words: RegExp): unknown[] => [status, expect.stringMatching(words)];
    expect(JSON.parse(stdout)).toEqual({
      too_few: failing('FAILED_PRECONDITION', /0 of at least 10 pictures have the label "rusty"/),
      taken: failing('ALREADY_EXISTS', /has version "2" of the model "screws": choose another version/),
      listed: [job('2', 'PENDING'), job('1', 'IN_PROGRESS')],
      pending: [job('2', 'PENDING')],
      under_way: failing('FAILED_PRECONDITION', /is running: cancel it, and delete it when it has ended/),
      canceled: job('2', 'CANCELED'),
      again: failing('FAILED_PRECONDITION', /is canceled: there is nothing to cancel/),
      done: job('1', 'COMPLETED'),
      model_id: true,
      times: true,
      log: [
        ['info', 'Read the pictures.'],
        ['info', 'The model is stored as version 1 of screws.'],
      ],
      left: [job('1', 'COMPLETED')],
      gone: failing('NOT_FOUND', /There is no training job/),
    });
  }, 240_000);

  it('are read, refused and not found by that for TypeScript', async () => {
    useGrpcTransport();
    const { mlTrainingClient: training } = await sdk.createViamClient({
      serviceHost: hub.url,
      credentials: { type: 'api-key', authEntity: hub.ownerKey?.id ?? '', payload: hub.ownerKey?.secret ?? '' },
    });
    const organization = hub.organizationId ?? '';
    const failed = await training.listTrainingJobs(organization, sdk.mlTrainingApi.TrainingStatus.FAILED);
    expect(failed).toEqual([]);
    const kind = sdk.mlTrainingApi.ModelType.OBJECT_DETECTION;
    const submitted = training.submitTrainingJob(organization, 'none', 'm', '1', kind, ['a', 'b']);
    await expect(submitted).rejects.toThrow(/dataset/);
    for (const call of ['getTrainingJob', 'cancelTrainingJob', 'deleteCompletedTrainingJob'] as const) {
      await expect(training[call]('none')).rejects.toThrow(/There is no training job "none"/);
    }
  });
});
