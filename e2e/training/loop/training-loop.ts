import { expect, type Page } from '@playwright/test';
import { VisionServiceDefinition } from '../../../proto/gen/core/service/vision/v1/vision.ts';
import type { Shape } from '../../../src-main/machine/models/camera-fake/scene.ts';
import { CapturedData } from '../../harness/captured-data.ts';
import { GrpcClient } from '../../harness/grpc-client.ts';
import { until } from '../../harness/until.ts';
import { WindowFleet } from '../../harness/window-fleet.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { DataPage } from '../../page-objects/data.ts';
import { DatasetsPage, type LabelPage } from '../../page-objects/datasets.ts';
import { DeployDialog } from '../../page-objects/model-shelf.ts';
import { Shell } from '../../page-objects/shell.ts';
import { TrainPage } from '../../page-objects/train-page.ts';
import { VisionCard } from '../../page-objects/vision-card.ts';
import { Agreement, type LabelledBox } from '../agreement.ts';
import { boxOf, SIZE } from '../shape-pictures.ts';
import { capturingCameras, KINDS, shapeCameras, shapesIn, type ShapeCamera } from './shape-cameras.ts';

export type Task = 'detection' | 'classification';

const PICTURES = 60;
const CAMERAS = 8;
const FRAMES = 4;
const LONGEST_TRAINING_MS = 30 * 60_000;
const tasks = {
  detection: { choice: 'Boxes', learns: 'object detection' },
  classification: { choice: 'One label', learns: 'classification, one label' },
} as const;

/**
 * A user who captures pictures, labels them, trains a model, deploys it and checks the result: all in the window,
 * except for what the cameras saw, which is known here.
 */
export class TrainingLoop {
  readonly page: Page;
  readonly #fleet: WindowFleet;
  readonly #hub: CapturedData;
  readonly #machine: GrpcClient;
  readonly #task: Task;
  readonly #captured: readonly ShapeCamera[];
  /** Cameras whose picture stands still, and cameras without any labelled picture. */
  readonly #others: readonly ShapeCamera[];

  private constructor(page: Page, fleet: WindowFleet, hub: CapturedData, task: Task) {
    this.page = page;
    this.#fleet = fleet;
    this.#hub = hub;
    this.#machine = new GrpcClient(fleet.station);
    this.#task = task;
    ({ captured: this.#captured, others: this.#others } = camerasFor(task));
  }

  /** Starts a machine with cameras that are captured, and opens its window. */
  static async start(page: Page, task: Task): Promise<TrainingLoop> {
    const fleet = await WindowFleet.start(capturingCameras({ ...camerasFor(task), isCapturing: true }));
    await page.goto(fleet.station.pageUrl);
    return new TrainingLoop(page, fleet, await CapturedData.open(fleet), task);
  }

  /** From the cameras to a running vision service. @returns its name */
  async toService(): Promise<string> {
    await this.capture('Shapes');
    expect(await this.label('Shapes')).toBeGreaterThanOrEqual(PICTURES);
    await this.train('Shapes', 'shapes 1');
    return this.deploy('shapes 1', 'shapes');
  }

  /** Checks that the service finds the actual contents: live, and on its card. @returns a summary for the log */
  async expectRight(service: string): Promise<string> {
    const found = { live: await this.watch(service, 'seen'), shown: await this.look(service) };
    const words = Object.entries(found).map(([where, { meanOverlap, rightLabels, things }]) => {
      return `${where}: mean overlap ${meanOverlap.toFixed(3)}, ${rightLabels * things} of ${things} labels`;
    });
    for (const { meanOverlap, rightLabels } of Object.values(found)) {
      expect(meanOverlap, words.join('; ')).toBeGreaterThan(0.6);
      expect(rightLabels, words.join('; ')).toBeGreaterThan(0.8);
    }
    return words.join('; ');
  }

  /** Captures pictures, and adds them to a dataset. */
  async capture(dataset: string): Promise<void> {
    const data = new DataPage(this.page);
    const each = Math.ceil(PICTURES / CAMERAS);
    await until(
      'enough pictures are captured',
      async () => (await this.#hub.pictures()) >= each * CAMERAS,
      60_000,
      100,
    );
    const still = { captured: this.#captured, others: this.#others, isCapturing: false };
    await this.#fleet.station.writeConfig(capturingCameras(still));
    for (const { name } of this.#captured) {
      await data.openSource(new RegExp(`^${name}\\b`));
      await data.pane.getByRole('button', { name: 'Add all to a dataset' }).click();
      await data.dialog.getByRole('combobox', { name: 'Dataset' }).fill(dataset);
      await this.page.keyboard.press('Enter');
      await data.dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await expect(data.dialog.getByText(/new pictures added to the dataset\.$/)).toBeVisible();
      await data.dialog.getByRole('button', { name: 'Close' }).click();
    }
  }

  /** Labels all pictures of a dataset. @returns how many there were */
  async label(dataset: string): Promise<number> {
    const datasets = new DatasetsPage(this.page);
    await datasets.open();
    await datasets.choose(dataset);
    const labels = await datasets.label();
    const next = labels.screen.getByRole('button', { name: 'Next', exact: true });
    // The address names a picture as soon as one is selected.
    await labels.at(1);
    await this.page.keyboard.press('f');
    await labels.at(2);
    await this.page.keyboard.press('d');
    await labels.at(1);
    if (this.#task === 'classification') await this.page.keyboard.press('t');
    for (const kind of KINDS) await labels.addClass(kind);
    for (let number = 1; ; number++) {
      await labels.at(number);
      await this.#labelPicture(labels, await this.#shapesOf(this.#pictureId()));
      if (await next.isDisabled()) {
        await expect(labels.saving).toHaveText('Saved');
        await labels.screen.getByRole('link', { name: `Back to ${dataset}` }).click();
        return number;
      }
      await this.page.keyboard.press('f');
    }
  }

  /** Trains a model on a dataset, and watches its progress. `model` is the name of its job, as `shapes 1`. */
  async train(dataset: string, model: string): Promise<void> {
    const datasets = new DatasetsPage(this.page);
    const train = new TrainPage(this.page);
    const { choice, learns } = tasks[this.#task];
    await datasets.pane(dataset).waitFor();
    await datasets.chooseTask(choice);
    await datasets.pane().getByRole('button', { name: 'Train', exact: true }).click();
    await expect(train.field('What the model learns')).toHaveValue(learns);
    for (const kind of KINDS) await expect(train.dialog.getByRole('checkbox', { name: kind })).toBeChecked();
    await expect(train.submit).toHaveText(`Train ${model}`);
    await train.submit.click();
    const job = train.pane(model);
    await expect(job.getByText(/^epoch \d+ of \d+$/)).toBeVisible({ timeout: LONGEST_TRAINING_MS });
    await expect(train.plot('Loss').getByRole('img')).toHaveAccessibleName(/^Loss by epoch\. In epoch \d+: training /);
    await expect(train.log(model)).toContainText(/PyTorch \d/);
    const ended = job.getByText(/^(completed|failed|canceled)$/).first();
    await ended.waitFor({ timeout: LONGEST_TRAINING_MS });
    const log = (await train.log(model).innerText()).slice(-2_000);
    expect(await ended.innerText(), log).toBe('completed');
  }

  /** Deploys the result of a job, from the job, and applies the change. @returns the name of the vision service */
  async deploy(model: string, name: string): Promise<string> {
    await new TrainPage(this.page).action(model, 'Deploy').click();
    const deploy = new DeployDialog(this.page.getByRole('dialog', { name: `Deploy ${model}` }));
    await expect(deploy.field('Vision service')).toHaveValue(`${name}-vision`);
    await expect(deploy.plan).toContainText(`${name}-model`);
    await deploy.add.click();
    const configure = new ConfigurePage(this.page);
    await expect(configure.heading(`${name}-vision`)).toBeVisible();
    await new ApplyBar(this.page).applyButton.click();
    await expect(configure.resource(`${name}-vision`)).toContainText('ready', { timeout: 60_000 });
    return `${name}-vision`;
  }

  /** The results on the card of a vision service, for cameras whose picture stands still. */
  async look(service: string): Promise<Agreement> {
    await new Shell(this.page).open('Control');
    const card = new VisionCard(this.page, service);
    const agreement = new Agreement();
    for (const camera of this.#others.filter(({ isAnimated }) => !isAnimated)) {
      await whileSeen(card, () => expect(card.picture).toBeVisible({ timeout: 1_000 }));
      const before = (await card.picture.getAttribute('src')) ?? '';
      await card.camera.selectOption(camera.name);
      await expect(card.picture).toHaveAccessibleName(`Picture of ${camera.name}, with what was found in it`);
      // After the choice nothing of the previous camera is shown.
      await whileSeen(card, () => expect(card.picture).not.toHaveAttribute('src', before, { timeout: 1_000 }));
      const truth = await shapesIn(camera, (await this.#ask(service, camera)).jpeg, Date.now() - 10_000, Date.now());
      this.#compare(agreement, truth, await this.#shownOn(card));
    }
    return agreement;
  }

  /** The service's results for live pictures, a few of each camera. `unseen` are things without a labelled picture. */
  async watch(service: string, which: 'seen' | 'unseen'): Promise<Agreement> {
    const cameras = which === 'seen' ? this.#captured : this.#others.filter(({ isAnimated }) => isAnimated);
    const agreement = new Agreement();
    for (const camera of cameras) {
      let last: Uint8Array = new Uint8Array();
      for (let frame = 0; frame < FRAMES; frame++) {
        let answer = await this.#ask(service, camera);
        const isNew = async (): Promise<boolean> =>
          Buffer.compare((answer = await this.#ask(service, camera)).jpeg, last) !== 0;
        await until(`${camera.name} moves`, isNew, 10_000, 50);
        last = answer.jpeg;
        const truth = await shapesIn(camera, last, Date.now() - 10_000, Date.now());
        this.#compare(agreement, truth, answer);
      }
    }
    return agreement;
  }

  /** The results on a card, in the form of the service's response. */
  async #shownOn(card: VisionCard): Promise<Found> {
    if (this.#task === 'detection') return { classes: [], boxes: await boxesOf(card) };
    await expect(card.classes.first()).toBeVisible();
    return { classes: [(await card.classes.first().locator('.name').innerText()).trim()], boxes: [] };
  }

  #compare(agreement: Agreement, truth: readonly Shape[], { classes, boxes }: Found): void {
    if (this.#task === 'detection') agreement.add(boxes, truth.map(boxOf));
    // All shapes of such a picture are of one kind.
    else
      agreement.add(
        [wholePicture(classes[0] ?? '')],
        truth.slice(0, 1).map(({ kind }) => wholePicture(kind)),
      );
  }

  async end(): Promise<void> {
    this.#machine.close();
    this.#hub.close();
    await this.#fleet.stop();
  }

  async #labelPicture(labels: LabelPage, shapes: readonly Shape[]): Promise<void> {
    const { keyboard } = this.page;
    if (this.#task === 'classification') {
      for (const [index, kind] of KINDS.entries()) {
        const wanted = String(shapes.some((shape) => shape.kind === kind));
        if ((await labels.class(kind).getAttribute('aria-pressed')) !== wanted) await keyboard.press(String(index + 1));
        await expect(labels.class(kind)).toHaveAttribute('aria-pressed', wanted);
      }
      return;
    }
    for (const [index, { label, xMin, yMin, xMax, yMax }] of shapes.map(boxOf).entries()) {
      // The digit is for the next box, not for the one that was just drawn.
      await keyboard.press('Escape');
      await keyboard.press(String(KINDS.findIndex((kind) => kind === label) + 1));
      await labels.drag([xMin, yMin], [xMax, yMax]);
      await expect(labels.boxes).toHaveCount(index + 1);
      await expect(labels.boxes.last()).toContainText(label);
    }
  }

  /** The id of the picture that is being labelled. */
  #pictureId(): string {
    return /[?&]picture=([^&]+)/.exec(this.page.url())?.[1] ?? '';
  }

  async #shapesOf(id: string): Promise<readonly Shape[]> {
    const { metadata, bytes } = await this.#hub.stored(id);
    const camera = this.#captured.find(({ name }) => name === metadata?.captureMetadata?.componentName);
    const [from, to] = [metadata?.timeRequested?.getTime(), metadata?.timeReceived?.getTime()];
    if (camera === undefined || from === undefined || to === undefined) throw new Error(`there is no picture ${id}`);
    return shapesIn(camera, bytes, from, to);
  }

  async #ask(service: string, { name }: ShapeCamera): Promise<Answer> {
    const request = { name: service, cameraName: name, extra: {}, returnObjectPointClouds: false };
    const wanted = { returnImage: true, returnClassifications: true, returnDetections: true };
    const answer = await this.#machine.call(VisionServiceDefinition, 'captureAllFromCamera', { ...request, ...wanted });
    const byConfidence = (one: { confidence: number }, other: { confidence: number }): number =>
      other.confidence - one.confidence;
    return {
      jpeg: answer.image?.image ?? new Uint8Array(),
      classes: answer.classifications.toSorted(byConfidence).map(({ className }) => className),
      boxes: answer.detections
        .filter(({ confidence }) => confidence >= 0.5)
        .map(({ className, xMin, yMin, xMax, yMax }) => ({
          label: className,
          ...{ xMin: Number(xMin) / SIZE.width, xMax: Number(xMax) / SIZE.width },
          ...{ yMin: Number(yMin) / SIZE.height, yMax: Number(yMax) / SIZE.height },
        })),
    };
  }
}

/** The result for a picture. */
interface Found {
  /** The most likely one first. */
  readonly classes: readonly string[];
  readonly boxes: readonly LabelledBox[];
}

interface Answer extends Found {
  readonly jpeg: Uint8Array;
}

/** A classifier's result is for the whole picture. */
function wholePicture(label: string): LabelledBox {
  return { label, xMin: 0, yMin: 0, xMax: 1, yMax: 1 };
}

function camerasFor(task: Task): {
  readonly captured: readonly ShapeCamera[];
  readonly others: readonly ShapeCamera[];
} {
  const isSingleKind = task === 'classification';
  const captured = shapeCameras({ name: 'eye', count: CAMERAS, isSingleKind, firstSeed: 1 });
  // The pictures of the first cameras, frozen at one moment: a card can be compared with them at any time.
  const still = captured
    .slice(0, 4)
    .map((camera, index) => ({ ...camera, name: `still-${index + 1}`, isAnimated: false }));
  return {
    captured,
    others: [...shapeCameras({ name: 'other', count: 4, isSingleKind, firstSeed: 10_000 }), ...still],
  };
}

/** A hidden card makes no requests, and cards above it grow when their pictures arrive, so it is scrolled to again. */
async function whileSeen(card: VisionCard, holds: () => Promise<void>): Promise<void> {
  const look = async (): Promise<void> => {
    await card.pace('Pause').scrollIntoViewIfNeeded();
    await holds();
  };
  await expect(look).toPass({ timeout: 30_000 });
}

/** The needed part of a page element, whose types are not available here. */
interface DrawnBox {
  readonly textContent: string;
  readonly style: Readonly<Record<'left' | 'top' | 'width' | 'height', string>>;
}

/** The boxes as drawn on a card. */
async function boxesOf(card: VisionCard): Promise<readonly LabelledBox[]> {
  const drawn = await card.boxes.evaluateAll((boxes) =>
    (boxes as unknown as readonly DrawnBox[]).map(({ textContent, style: { left, top, width, height } }) => ({
      text: textContent,
      sides: [left, top, width, height].map((side) => parseFloat(side) / 100),
    })),
  );
  return drawn.map(({ text, sides: [left = NaN, top = NaN, width = NaN, height = NaN] }) => ({
    label: text.trim().split(/\s/)[0] ?? '',
    ...{ xMin: left, yMin: top, xMax: left + width, yMax: top + height },
  }));
}
