import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MLTrainingServiceDefinition, TrainingStatus } from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { until } from '../harness/until.ts';
import { SlurmCluster, whyNoSlurm } from './slurm-cluster.ts';
import { SlurmFleet } from './slurm-fleet.ts';

const reason = whyNoSlurm();
const LONGEST_MS = 120_000;
const hasTorch = spawnSync('/usr/bin/python3', ['-c', 'import torch, numpy, PIL']).status === 0;

describe.skipIf(reason !== undefined)(`a hub that trains on Slurm${reason === undefined ? '' : ` (${reason})`}`, () => {
  let cluster: SlurmCluster;

  beforeAll(async () => {
    cluster = await SlurmCluster.start();
  });

  afterAll(() => cluster.end());

  const nothingIsLeft = async ({ fleet }: SlurmFleet): Promise<void> => {
    await cluster.isEmpty();
    expect(readdirSync(cluster.shared)).toEqual([]);
    expect(readdirSync(path.join(fleet.hub.data, 'training/slurm'))).toEqual([]);
  };
  const submissionsOf = async (id: string): Promise<number> =>
    (await cluster.jobs()).filter((job) => job.startsWith(`armature-${id} `)).length;

  it('finds a training again after it was killed, whether that runs on or ended meanwhile', async () => {
    const { python, go } = await SlurmFleet.quickPython(cluster.shared);
    const hub = await SlurmFleet.start(cluster.shared, python);

    const id = await hub.submit('1');
    await hub.hasLine(id, 'reads 30 pictures');
    await hub.fleet.hub.crash();
    await hub.restart();
    expect((await hub.job(id))?.metadata?.errorStatus).toBeUndefined();
    // A second job is behind it in Slurm's queue: clients see it as pending.
    const second = await hub.submit('2');
    const waits = async (): Promise<boolean> => ((await hub.job(second))?.runnerNote ?? '').includes('Resources');
    await until('the second one waits in Slurm', waits, LONGEST_MS, 200);
    expect((await hub.job(second))?.metadata).toMatchObject({
      status: TrainingStatus.PENDING,
      trainingStarted: undefined,
    });
    const { organizationId } = hub.fleet;
    const pending = { organizationId, status: TrainingStatus.PENDING };
    const { jobs } = await hub.fleet.call(MLTrainingServiceDefinition, 'listTrainingJobs', pending);
    expect(jobs.map((job) => job.id)).toEqual([second]);

    await hub.fleet.hub.crash();
    writeFileSync(go, '');
    await cluster.isEmpty();
    await hub.restart();
    for (const one of [id, second]) {
      const { attempts, progress } = await hub.hasStatus(one, TrainingStatus.COMPLETED);
      expect({ attempts, epoch: progress?.epoch }).toEqual({ attempts: 1, epoch: 1 });
      const log = await hub.log(one);
      for (const line of ['reads 30 pictures', 'ends']) expect(log.filter((text) => text === line)).toHaveLength(1);
      expect(await submissionsOf(one)).toBe(1);
    }
    await nothingIsLeft(hub);
  });

  it('leaves a training alone when it ends in an orderly way, and cancels it after that', async () => {
    const { python } = await SlurmFleet.quickPython(cluster.shared);
    const hub = await SlurmFleet.start(cluster.shared, python);
    const [running, waiting] = [await hub.submit('1'), await hub.submit('2')];
    await hub.hasStatus(running, TrainingStatus.RUNNING);
    await until(
      'both are in Slurm',
      async () => (await cluster.ask('squeue', '-h')).split('\n').length === 2,
      LONGEST_MS,
    );
    await hub.fleet.hub.stop();
    expect((await cluster.ask('squeue', '-h')).split('\n')).toHaveLength(2);
    await hub.restart();
    for (const id of [waiting, running]) {
      await hub.fleet.call(MLTrainingServiceDefinition, 'cancelTrainingJob', { id });
      expect((await hub.hasStatus(id, TrainingStatus.CANCELED)).attempts).toBe(1);
    }
    await nothingIsLeft(hub);
  });

  it('cancels when Slurm and the hub are back what was canceled while Slurm was away', async () => {
    const { python } = await SlurmFleet.quickPython(cluster.shared);
    const hub = await SlurmFleet.start(cluster.shared, python);
    const id = await hub.submit('1');
    await hub.hasLine(id, 'reads 30 pictures');
    await cluster.killController();
    await hub.fleet.call(MLTrainingServiceDefinition, 'cancelTrainingJob', { id });
    await until('it has no news', async () => (await hub.job(id))?.noNewsSince !== undefined, LONGEST_MS, 200);
    expect((await hub.job(id))?.metadata?.status).toBe(TrainingStatus.CANCELING);
    // It does not keep the hub from stopping either.
    await hub.fleet.hub.stop();
    await hub.restart();
    expect((await hub.job(id))?.metadata?.status).toBe(TrainingStatus.CANCELING);
    cluster.startController();
    await hub.hasStatus(id, TrainingStatus.CANCELED);
    await nothingIsLeft(hub);
  });

  it.skipIf(!hasTorch)('trains a real model with PyTorch', { timeout: 1_200_000 }, async () => {
    const hub = await SlurmFleet.start(cluster.shared);
    const id = await hub.submit('1');
    const { progress } = await hub.hasStatus(id, TrainingStatus.COMPLETED);
    expect(progress?.metrics['accuracy']).toBeGreaterThan(0.6);
    await nothingIsLeft(hub);
  });
});
