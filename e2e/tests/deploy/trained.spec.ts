import { expect, test } from '../../fixtures/train-test.ts';
import { cardOf } from '../../harness/scripted-training.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { DeployDialog, ModelShelf } from '../../page-objects/model-shelf.ts';

const labels = ['bolt', 'nut'];

test('the model of a finished job goes into the draft from the job itself, by the keyboard', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.slow();
  await training.submit(screws, 'screws', '1', labels);
  await training.fail('The picture 3.png cannot be read: take it out.');
  await training.submit(screws, 'screws', '2', labels);
  await training.epochs(2, 2, 0.95);
  await train.open();
  await expect(train.row('screws 1')).toContainText('failed');
  await train.choose('screws 1');
  await expect(train.action('screws 1', 'Delete')).toBeVisible();
  await expect(train.action('screws 1', 'Deploy')).toHaveCount(0);
  await train.choose('screws 2');
  await expect(train.row('screws 2')).toContainText('epoch 2 of 2');
  await expect(train.action('screws 2', 'Deploy')).toHaveCount(0);
  await training.finish(cardOf(0.95));

  await train.action('screws 2', 'Deploy').press('Enter');
  const deploy = new DeployDialog(page.getByRole('dialog', { name: 'Deploy screws 2' }));
  await expect(deploy.changes).toHaveText([
    /screws \S+\/screws, version 2: downloaded when you apply/,
    /screws-model onnx_cpu runs \S+\.onnx with the names in labels\.txt/,
    /screws-vision finds things with screws-model/,
  ]);
  await checkLook(page, 'train-deploy');
  await page.keyboard.press('Escape');
  await expect(train.action('screws 2', 'Deploy')).toBeFocused();
  await page.keyboard.press('Enter');
  await deploy.field('Vision service').press('Enter');
  await expect(new ConfigurePage(page).heading('screws-vision')).toBeVisible();
});

test('where the model was deleted since, Deploy says so and what to do', async ({ page, screws, training, train }) => {
  test.slow();
  await training.submit(screws, 'screws', '1', labels);
  await training.finish(cardOf(0.95));
  await train.open();
  await expect(train.row('screws 1')).toContainText('completed');
  const shelf = new ModelShelf(page);
  await shelf.open();
  await page.getByRole('button', { name: 'Delete screws 1', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(shelf.deployButton('screws', '1')).toHaveCount(0);
  await train.open();
  await train.choose('screws 1');
  await train.action('screws 1', 'Deploy').click();
  await expect(
    train.pane('screws 1').getByText('The model screws 1 has been deleted from the registry. Train it again'),
  ).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(train.action('screws 1', 'Retry')).toBeVisible();
  await checkLook(page, 'train-deploy-gone');
});
