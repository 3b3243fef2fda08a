import type { WebSocketRoute } from '@playwright/test';
import { expect, test } from '../../fixtures/dataset-test.ts';

test('labels that cannot be saved say so, stay over a reload, and are saved when the hub answers again', async ({
  page,
  captured,
  ids,
  labels,
}) => {
  let isAway = false;
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket(/\/channel$/, (socket) => {
    if (isAway) return void socket.close({ code: 4000, reason: 'away' });
    open.add(socket);
    socket.connectToServer();
  });
  const leave = async (): Promise<void> => {
    isAway = true;
    await Promise.all([...open].map((socket) => socket.close({ code: 4000, reason: 'away' })));
    open.clear();
  };
  const boxes = async (id: string | undefined) => (await captured.metadata(id ?? ''))?.annotations?.bboxes.length;
  await page.reload();
  await labels.at(1);
  await labels.addClass('screw');
  await labels.drag([0.2, 0.2], [0.5, 0.5]);
  await expect(labels.saving).toHaveText('Saved');

  await leave();
  await labels.drag([0.6, 0.6], [0.9, 0.9]);
  await expect(labels.saving).toHaveText(/^Could not save 1 picture: /);
  await expect(labels.boxes).toHaveCount(2);
  await labels.screen.getByRole('button', { name: 'Try to save again' }).click();
  await expect(labels.saving).toHaveText(/^Could not save 1 picture: /);
  isAway = false;
  await expect(labels.saving).toHaveText('Saved');
  expect(await boxes(ids[0])).toBe(2);

  await page.keyboard.press('f');
  await labels.at(2);
  await leave();
  await page.keyboard.press('n');
  await expect(labels.saving).toHaveText(/^Could not save 1 picture: /);
  // The page asks before it goes; whoever goes all the same finds the box again.
  page.on('dialog', (dialog) => void dialog.accept());
  isAway = false;
  await page.reload();
  await labels.at(2);
  await expect(labels.boxes).toHaveCount(1);
  await expect(labels.saving).toHaveText('Saved');
  expect(await boxes(ids[1])).toBe(1);
});
