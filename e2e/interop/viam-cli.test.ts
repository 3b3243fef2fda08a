import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { DatasetServiceDefinition } from '../../proto/gen/core/app/dataset/v1/dataset.ts';
import { DataSyncServiceDefinition } from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { camera, picture, uploadMetadata } from '../../src-main/hub/data/testing/data-bench.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { pieceOnBelt } from '../harness/picture.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);

/** The public command line, built from its source: github.com/viamrobotics/rdk, `cli/viam`. */
const program =
  process.env['ARMATURE_VIAM_CLI'] ??
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'viam'))
    .find((file) => existsSync(file));

describe('the public command line', () => {
  let fleet: Fleet;
  let viam: (...args: readonly string[]) => Promise<string>;

  beforeEach(async (context) => {
    if (program === undefined) {
      context.skip('there is no program "viam" in PATH, and ARMATURE_VIAM_CLI names none');
      return;
    }
    fleet = await Fleet.start();
    const env = { HOME: await temporaryFolder(), SSL_CERT_FILE: fleet.authorityFile, PATH: '' };
    viam = async (...args) =>
      (await run(program, ['--quiet', '--base-url', fleet.hub.url, ...args], { env, timeout: 30_000 })).stdout;
    await viam('login', 'api-key', '--key-id', fleet.ownerKey.id, '--key', fleet.ownerKey.secret);
  });

  it('logs in with a key of the hub, and lists what the key may see', async () => {
    const machineId = await fleet.robotId();
    expect(await viam('organizations', 'list')).toContain(`(id: ${fleet.organizationId})`);
    const { robot } = await fleet.owner.call('getRobot', { id: machineId });
    expect(await viam('locations', 'list')).toContain(`(id: ${robot?.location})`);
    expect(await viam('machines', 'list')).toContain(`(id: ${machineId})`);
  });

  it('shows status and logs of a machine by its id, fields with their values, and starts it anew', async () => {
    const [machine, part] = [await fleet.robotId(), await fleet.partId()];
    const server = await startServer({ config: await fleet.configOf(part) });
    try {
      const logs = (): Promise<string> => viam('machines', 'logs', '--machine', machine, '--count', '100');
      await until('its logs are there', async () => (await logs()).includes('"failures": '), 15_000);
      expect(await logs()).toMatch(/\{"failures": 0\}/);
      expect(await logs()).toMatch(/\{"version": "[^"]+", "config": "/);
      const { robot } = await fleet.owner.call('getRobot', { id: machine });
      const { organization } = await fleet.owner.call('getOrganization', { organizationId: fleet.organizationId });
      const status = await viam('machines', 'status', '--machine', machine);
      expect(status).toContain(`Name: ${robot?.name}`);
      expect(status).toContain(organization?.name);
      expect(await viam('machines', 'part', 'status', '--machine', machine, '--part', part)).toContain(`ID: ${part}`);
      expect(await viam('machines', 'part', 'logs', '--machine', machine, '--part', part, '--count', '5')).not.toBe('');
      await viam('machines', 'part', 'restart', '--machine', machine, '--part', part);
      await until('it ends for its new start', () => server.process.exitCode !== null, 15_000);
    } finally {
      await server.stop();
    }
  });

  it('calls a method of a machine, which it finds by its name in the local network', async () => {
    const [machine, part] = [await fleet.robotId(), await fleet.partId()];
    await fleet.setConfig(
      part,
      JSON.stringify({ components: [{ name: 'left', api: 'core:component:motor', model: 'fake' }] }),
    );
    const server = await startServer({ config: await fleet.configOf(part) });
    try {
      const run = (...args: readonly string[]): Promise<string> =>
        viam('machines', 'part', 'run', '--machine', machine, '--part', part, ...args);
      await until('its motor is there', () => server.stderr().includes('left: added'), 15_000);
      expect(await run('viam.robot.v1.RobotService.ResourceNames')).toContain('"name": "left"');
      const isMoving = 'viam.component.motor.v1.MotorService.IsMoving';
      expect(JSON.parse(await run('--data', '{"name": "left"}', isMoving))).toEqual({ isMoving: false });
    } finally {
      await server.stop();
    }
  });

  it('uploads a training script, has a job run it, follows the job and lists it', async (context) => {
    if (!existsSync('/usr/bin/python3')) context.skip('there is no /usr/bin/python3, which runs the script');
    const { organizationId } = fleet;
    const dataset = { organizationId, name: 'Screws', type: undefined };
    const { id: datasetId } = await fleet.call(DatasetServiceDefinition, 'createDataset', dataset);
    const metadata = uploadMetadata(await fleet.partId(), { ...camera, datasetIds: [datasetId] });
    const sensorContents = [picture(Date.now(), pieceOnBelt(1))];
    await fleet.call(DataSyncServiceDefinition, 'dataCaptureUpload', { metadata, sensorContents });
    const archive = await scriptArchive(`
import sys
arguments = dict(word[2:].split("=", 1) for word in sys.argv[1:])
print("trains for", arguments["num_epochs"], "epochs", flush=True)
open(arguments["model_output_directory"] + "/model.onnx", "wb").write(bytes.fromhex("080812046e6f6e65"))
`);
    const owned = ['--org-id', organizationId];
    const script = ['--script-name', 'counter', '--version', '1.0.0', '--framework', 'onnx', '--visibility', 'private'];
    const uploaded = await viam('training-script', 'upload', ...owned, ...script, '--path', archive);
    const itemId = `${organizationId}:counter`;
    expect(uploaded).toContain(`use ${itemId} as the script name`);
    await expect(viam('training-script', 'upload', ...owned, ...script, '--path', archive)).rejects.toThrow(/1\.0\.0/);

    const model = ['--model-name', 'screws', '--model-version', '1', '--container-version', 'none'];
    const of = ['--dataset-id', datasetId, ...owned, '--script-name', itemId, '--version', '1.0.0'];
    const job = await viam('train', 'submit', 'custom', 'from-registry', ...of, ...model, '--args', 'num_epochs=3');
    const id = /Submitted training job with ID (\S+)/.exec(job)?.[1] ?? '';
    const get = (): Promise<string> => viam('train', 'get', '--job-id', id);
    await until('the job is completed', async () => (await get()).includes('TRAINING_STATUS_COMPLETED'), 30_000, 200);
    expect(await viam('train', 'logs', '--job-id', id)).toContain('trains for 3 epochs');
    expect(await viam('train', 'list', ...owned, '--job-status', 'completed')).toContain(id);
    expect(await viam('train', 'list', ...owned, '--job-status', 'failed')).not.toContain(id);
    await expect(viam('train', 'cancel', '--job-id', id)).rejects.toThrow(/is completed: there is nothing to cancel/);
  });
});

/** Path of a .tar.gz with a training script. */
async function scriptArchive(training: string): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'in/model'), { recursive: true });
  await writeFile(path.join(folder, 'in/setup.py'), 'import setuptools\n');
  await writeFile(path.join(folder, 'in/model/__init__.py'), '');
  await writeFile(path.join(folder, 'in/model/training.py'), training);
  await run('tar', ['-czf', 'script.tar.gz', '-C', 'in', '.'], { cwd: folder });
  return path.join(folder, 'script.tar.gz');
}
