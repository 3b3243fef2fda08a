import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '../../fixtures/train-test.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ScriptShelf } from '../../page-objects/script-shelf.ts';

const TRAINING = `
import sys
arguments = dict(word[2:].split("=", 1) for word in sys.argv[1:])
pictures = sum(1 for _ in open(arguments["dataset_file"]))
print("reads", pictures, "pictures for", arguments["num_epochs"], "epochs", flush=True)
with open(arguments["model_output_directory"] + "/model.onnx", "wb") as file:
    file.write(bytes.fromhex("080812046e6f6e65"))
with open(arguments["model_output_directory"] + "/labels.txt", "w") as file:
    file.write("bolt\\nnut\\n")
`;

/** A .tar.gz with these files. */
async function archiveOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-script-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, 'in', name)), { recursive: true });
      await writeFile(path.join(folder, 'in', name), text);
    }
    execFileSync('tar', ['-czf', 'script.tar.gz', '-C', 'in', '.'], { cwd: folder });
    return await readFile(path.join(folder, 'script.tar.gz'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a script is published by the window, a job runs it on a dataset with its arguments, and it is deleted', async ({
  page,
  screws,
  train,
}) => {
  test.slow();
  expect(screws).not.toBe('');
  const shelf = new ScriptShelf(page);
  await shelf.open();
  await expect(page.getByText('No training script was uploaded to this hub yet.')).toBeVisible();
  await shelf.fill({ file: 'counter.tar.gz', bytes: Buffer.from('no archive'), version: '1.0.0' });
  await expect(shelf.dialog.getByText('counter.tar.gz is not a .tar.gz file.')).toBeVisible();
  await checkLook(page, 'registry-script-upload');
  await page.keyboard.press('Escape');
  const bytes = await archiveOf({ 'setup.py': 'import setuptools\n', 'model/__init__.py': '' });
  await shelf.send({ file: 'counter.tar.gz', bytes, version: '1.0.0' });
  await expect(shelf.dialog.getByText(/This is no training script: it has no model\/training\.py/)).toBeVisible();
  await page.keyboard.press('Escape');
  const whole = { 'setup.py': 'import setuptools\n', 'model/__init__.py': '', 'model/training.py': TRAINING };
  await shelf.send({ file: 'counter.tar.gz', bytes: await archiveOf(whole), version: '1.0.0' });
  await expect(shelf.versions('counter')).toHaveText([/^1\.0\.0.*type not given.*this organization/]);
  await checkLook(page, 'registry-scripts');

  await shelf.trainWith('counter', '1.0.0').press('Enter');
  await expect(train.field('Script')).toHaveValue('counter');
  await expect(train.field('Version of the script')).toHaveValue('1.0.0');
  await train.field('Dataset').fill('Screws');
  await page.keyboard.press('Enter');
  await expect(train.field('Model')).toHaveValue('screws');
  await train.field('Arguments').fill('num_epochs 3');
  await expect(train.dialog.getByText(/"num_epochs 3" is no argument/)).toBeVisible();
  await expect(train.submit).toHaveAttribute('aria-disabled', 'true');
  await train.field('Arguments').fill('num_epochs=3');
  await expect(train.submit).not.toHaveAttribute('aria-disabled', 'true');
  await checkLook(page, 'train-script');
  await train.submit.click();

  const job = train.pane('screws 1');
  await expect(job.getByText('completed', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(train.log('screws 1')).toContainText('reads 24 pictures for 3 epochs');
  await expect(job).toContainText('counter 1.0.0');
  await expect(page).not.toHaveURL(/script=/);
  await expect(train.action('screws 1', 'Deploy')).toBeVisible();

  await shelf.open();
  await shelf.deleteButton('counter', '1.0.0').click();
  await checkLook(page, 'registry-script-delete');
  await shelf.dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No training script was uploaded to this hub yet.')).toBeVisible();
});
