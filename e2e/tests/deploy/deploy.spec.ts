import type { Page } from '@playwright/test';
import { shapeDetector } from '../../../src-main/inference/findings/testing/shape-detector.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ModelShelf, type ModelFile } from '../../page-objects/model-shelf.ts';
import { Shell } from '../../page-objects/shell.ts';
import { VisionCard } from '../../page-objects/vision-card.ts';

const camera = { name: 'still', api: 'rdk:component:camera', model: 'fake', attributes: { seed: 4, animated: false } };
const base = { network: { bind_address: 'localhost:0' }, components: [camera] };
const shapes: ModelFile = {
  ...{ name: 'shapes', bytes: shapeDetector(320, 240, 3), labels: 'shape\n', version: '1.0.0' },
};

test.use({ config: JSON.stringify(base) });

async function withModel(page: Page): Promise<ModelShelf> {
  const shelf = new ModelShelf(page);
  await shelf.open();
  await shelf.upload(shapes);
  return shelf;
}

test('a model that was uploaded is deployed, applied, and finds what is in the picture', async ({ page }) => {
  const shelf = await withModel(page);
  const deploy = await shelf.deploy('shapes', '1.0.0');
  await expect(deploy.field('Package name')).toHaveValue('shapes');
  await expect(deploy.field('Service that runs the model')).toHaveValue('shapes-model');
  await expect(deploy.field('Vision service')).toHaveValue('shapes-vision');
  await expect(deploy.camera).toHaveValue('still');
  await expect(deploy.changes).toHaveText([
    /shapes \S+\/shapes, version 1\.0\.0: downloaded when you apply/,
    /shapes-model onnx_cpu runs shapes\.onnx with the names in labels\.txt/,
    /shapes-vision finds things with shapes-model in pictures of still/,
  ]);
  await expect(deploy.plan).toContainText('nothing stops');
  await expect(deploy.plan).toContainText('shapes-model');
  await expect(deploy.plan).toContainText('shapes added');
  await deploy.add.click();

  const configure = new ConfigurePage(page);
  await expect(configure.heading('shapes-vision')).toBeVisible();
  await expect(configure.resource('shapes-model')).toContainText('new');
  // The model takes colours from 0 to 1.
  for (const [name, value] of [
    ['Mean', '0'],
    ['Standard deviation', '1'],
  ] as const) {
    const list = configure.form.getByRole('group', { name, exact: true });
    await list.getByRole('button', { name: 'Add' }).click();
    for (const number of [1, 2, 3]) await list.getByRole('textbox', { name: `${name} ${number}` }).fill(value);
  }
  await new ApplyBar(page).applyButton.click();
  // The model is downloaded, and loaded, before it is.
  await expect(configure.resource('shapes-vision')).toContainText('ready', { timeout: 30_000 });

  await new Shell(page).open('Control');
  const eyes = new VisionCard(page, 'shapes-vision');
  await eyes.pace('Pause').scrollIntoViewIfNeeded();
  await expect(eyes.camera).toHaveValue('still');
  await expect(eyes.found).toHaveText(Array(3).fill(/shape\s*88 %/) as RegExp[]);
});

test('another version takes the place of the one that is there, or is added beside it', async ({ page }) => {
  const shelf = await withModel(page);
  await (await shelf.deploy('shapes', '1.0.0')).add.click();
  const configure = new ConfigurePage(page);
  await expect(configure.heading('shapes-vision')).toBeVisible();
  await new ApplyBar(page).applyButton.click();
  await expect(configure.resource('shapes-vision')).toContainText('ready', { timeout: 30_000 });

  await shelf.open();
  const { labels: _labels, ...unnamed } = shapes;
  await shelf.upload({ ...unnamed, version: '2.0.0' });
  const deploy = await shelf.deploy('shapes', '2.0.0');
  await expect(deploy.choice(/^Change the version of shapes/)).toBeChecked();
  await expect(deploy.changes).toHaveText([/shapes version: 1\.0\.0 to 2\.0\.0/, /shapes-model label_path removed/]);
  await expect(deploy.dialog).toContainText('shapes-model and shapes-vision keep running until 2.0.0 is downloaded');
  await deploy.choice(/^Add it again/).check();
  await expect(deploy.field('Package name')).toHaveValue('shapes-2');
  await expect(deploy.changes).toHaveCount(3);
  await deploy.choice(/^Change the version of shapes/).check();
  await deploy.add.click();
  await expect(configure.heading('shapes-vision')).toBeVisible();
  await new ApplyBar(page).applyButton.click();

  await configure.list.getByRole('link', { name: /^Packages/ }).click();
  const line = page.getByRole('list', { name: 'Packages' }).getByRole('listitem');
  await expect(line).toContainText('2.0.0');
  await expect(line).toContainText('ready');
  await expect(configure.resource('shapes-vision')).toContainText('ready', { timeout: 30_000 });
});

test('by the keyboard: a name that is taken is refused, the dialog adds on Enter and is left by Esc', async ({
  page,
}) => {
  const shelf = await withModel(page);
  await shelf.deployButton('shapes', '1.0.0').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Deploy shapes 1.0.0' });
  await expect(dialog).toBeVisible();
  const name = dialog.getByRole('textbox', { name: 'Vision service' });
  await name.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('still');
  await expect(dialog).toContainText('still already exists. Choose another name.');
  await expect(dialog.getByRole('button', { name: 'Add to draft' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await shelf.deployButton('shapes', '1.0.0').press('Enter');
  await name.focus();
  await page.keyboard.press('Enter');
  await expect(new ConfigurePage(page).heading('shapes-vision')).toBeVisible();
});

test('the dialog looks right', async ({ page }) => {
  const shelf = await withModel(page);
  const deploy = await shelf.deploy('shapes', '1.0.0');
  await expect(deploy.plan).toContainText('nothing stops');
  await checkLook(page, 'deploy');
});

test.describe('on a machine without a camera', () => {
  test.use({ config: JSON.stringify({ ...base, components: [] }) });

  test('a model is deployed without one, and that is said', async ({ page }) => {
    const deploy = await (await withModel(page)).deploy('shapes', '1.0.0');
    await expect(deploy.camera).toHaveCount(0);
    await expect(deploy.dialog).toContainText('This configuration has no camera.');
    await expect(deploy.changes.last()).toHaveText(/shapes-vision finds things with shapes-model$/);
    await expect(deploy.add).toBeEnabled();
  });
});
