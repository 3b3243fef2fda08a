import { expect, test } from '@playwright/test';
import { TrainingLoop, type Task } from './training-loop.ts';

for (const task of ['detection', 'classification'] satisfies Task[]) {
  test(`pictures are captured, labelled and learnt from, and the model is deployed and right: ${task}`, async ({
    page,
  }) => {
    const loop = await TrainingLoop.start(page, task);
    try {
      await loop.capture('Shapes');
      expect(await loop.label('Shapes')).toBeGreaterThanOrEqual(60);
      await loop.train('Shapes', 'shapes 1');
      const service = await loop.deploy('shapes 1', 'shapes');
      const found = { seen: await loop.watch(service, 'seen'), shown: await loop.look(service) };
      // Of things that it never saw nothing is wanted: sixty pictures of eight cameras are few.
      const others = await loop.watch(service, 'unseen');
      process.stdout.write(`training: ${task}, by the window: ${JSON.stringify({ ...found, unseen: others })}\n`);
      for (const { meanOverlap, rightLabels } of Object.values(found)) {
        expect(meanOverlap).toBeGreaterThan(0.6);
        expect(rightLabels).toBeGreaterThan(0.8);
      }
    } finally {
      await loop.end();
    }
  });
}
