import { test } from '@playwright/test';
import { TrainingLoop, type Task } from './training-loop.ts';

for (const task of ['detection', 'classification'] satisfies Task[]) {
  test(`pictures are captured, labelled and learnt from, and the model is deployed and right: ${task}`, async ({
    page,
  }) => {
    const loop = await TrainingLoop.start(page, task);
    try {
      const service = await loop.toService();
      const right = await loop.expectRight(service);
      // For unseen things no result is required: sixty pictures of eight cameras are few.
      const { meanOverlap, rightLabels } = await loop.watch(service, 'unseen');
      const others = `never seen: mean overlap ${meanOverlap.toFixed(3)}, labels ${rightLabels.toFixed(2)}`;
      process.stdout.write(`training: ${task}, by the window: ${right}; ${others}\n`);
    } finally {
      await loop.end();
    }
  });
}
