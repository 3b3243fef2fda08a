import { expect, test } from '@playwright/test';
import { SettingsPage } from '../../page-objects/settings.ts';
import { Shell } from '../../page-objects/shell.ts';
import { SlurmCluster, whyNoSlurm } from '../../slurm/slurm-cluster.ts';
import { TrainingLoop } from './training-loop.ts';

const reason = whyNoSlurm();
test.skip(reason !== undefined, reason ?? '');

test('the same job trains on a Slurm cluster that is chosen in the settings, and its model is right', async ({
  page,
}) => {
  const cluster = await SlurmCluster.start();
  try {
    const loop = await TrainingLoop.start(page, 'detection');
    try {
      const settings = new SettingsPage(page);
      await new Shell(page).open('Settings');
      await settings.trainOnSlurm({ sharedFolder: cluster.shared, cores: 1, memoryMb: 1_024 });
      const service = await loop.toService();
      expect(await cluster.jobs()).toEqual([expect.stringMatching(/^armature-\S+ COMPLETED$/)]);
      process.stdout.write(`training: on Slurm, by the window: ${await loop.expectRight(service)}\n`);
    } finally {
      await loop.end();
    }
  } finally {
    await cluster.end();
  }
});
