import { readFile } from 'node:fs/promises';
import { expect, type Download, type FileChooser, type Locator, type Page } from '@playwright/test';
import { Plot } from './plot.ts';

/** A line of a recording's file. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** Recording on the Control screen, and the screen that shows recordings. */
export class RecordingScreen {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get record(): Locator {
    return this.page.getByRole('button', { name: 'Record', exact: true });
  }

  get stop(): Locator {
    return this.page.getByRole('button', { name: 'Stop recording', exact: true });
  }

  get rate(): Locator {
    return this.page.getByRole('combobox', { name: 'Values per second' });
  }

  /** The chip of the header, on every screen. */
  get chip(): Locator {
    return this.page.getByRole('banner').getByRole('link', { name: /Recording/ });
  }

  /** What is kept and not saved. */
  get kept(): Locator {
    return this.page.getByRole('list', { name: 'Recordings that are not saved' }).getByRole('listitem');
  }

  async press(name: 'Save' | 'Open' | 'Discard' | 'Close'): Promise<void> {
    await this.kept.first().getByRole('button', { name, exact: true }).click();
  }

  /** Saves the first one that is kept. */
  async save(): Promise<Download> {
    const [file] = await Promise.all([this.page.waitForEvent('download'), this.press('Save')]);
    return file;
  }

  /** Opens a text as the file of a recording. */
  open(name: string, text: string): Promise<void> {
    return this.openFile({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });
  }

  /** Opens a file: its path or its content. */
  async openFile(file: Parameters<FileChooser['setFiles']>[0]): Promise<void> {
    const [chooser] = await Promise.all([
      this.page.waitForEvent('filechooser'),
      this.page.getByRole('button', { name: 'Open a recording', exact: true }).click(),
    ]);
    await chooser.setFiles(file);
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  get notLive(): Locator {
    return this.page.getByText(/^Not live:/);
  }

  /** Error and warnings about the file. */
  get notice(): Locator {
    return this.page.getByRole('main').getByRole('status');
  }

  get plots(): Locator {
    return this.page.getByRole('region', { name: 'Plots' }).getByRole('figure');
  }

  /** The plot that has a channel. */
  plotOf(channel: string): Plot {
    return new Plot(this.plots.filter({ has: this.page.getByText(channel, { exact: true }) }));
  }

  get events(): Locator {
    return this.page.getByRole('region', { name: 'Events' }).getByRole('button');
  }

  /** The row of a channel: its name, its value, its plot. */
  channel(name: string): Locator {
    return this.page
      .getByRole('region', { name: 'Values' })
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** The value of a channel at the time that is read. */
  async value(name: string): Promise<number> {
    const text = await this.channel(name).locator('b').innerText();
    return Number(/−?[\d,.]+/.exec(text)?.[0].replace('−', '-').replaceAll(',', ''));
  }

  get time(): Locator {
    return this.page.getByRole('slider', { name: 'Time', exact: true });
  }

  get bar(): Locator {
    return this.page.getByRole('group', { name: 'Playback' });
  }

  /** Goes to the start or the end by the keys of the scrubber. */
  async goTo(key: 'Home' | 'End'): Promise<void> {
    await this.time.focus();
    await this.page.keyboard.press(key);
  }

  /** The lines of the exported table. */
  async exportTable(what: 'Whole recording' | 'Only the time shown'): Promise<string[]> {
    await this.bar.getByRole('button', { name: 'Export CSV', exact: true }).click();
    const [file] = await Promise.all([
      this.page.waitForEvent('download'),
      this.page.getByRole('menuitem', { name: what, exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/Z\.csv$/);
    return (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  }
}

export async function linesOf(file: Download): Promise<readonly RecordedLine[]> {
  const text = await readFile(await file.path(), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine);
}

/** The values of a channel in a file, with their times in seconds. */
export function valuesIn(lines: readonly RecordedLine[], channel: string): readonly (readonly [number, number])[] {
  return lines.flatMap(({ t, v }) => {
    const value = (v as Readonly<Record<string, unknown>> | undefined)?.[channel];
    return typeof value === 'number' ? [[Number(t), value] as const] : [];
  });
}

/** A recording of a motor that turns, 10 s at 10 Hz, with a command, a failure and a change of state. */
export function madeRecording(seconds = 10): string {
  const lines: object[] = [
    { format: 'armature-recording', version: 1, machine: 'bench', started: '2026-11-27T12:04:00.000Z', hz: 10 },
    { channel: 'left.position', resource: 'core:component:motor/left', unit: 'rev' },
    { channel: 'left.power', resource: 'core:component:motor/left', unit: '' },
    { channel: 'climate.celsius', resource: 'core:component:sensor/climate', unit: '°C' },
    { channel: 'bench.pin.16', resource: 'core:component:board/bench', unit: '' },
  ];
  for (let step = 0; step < seconds * 10; step++) {
    const t = step / 10;
    if (step === 20) lines.push({ t, event: 'command', text: 'left: SetPower 0.4', resource: 'left' });
    if (step === 50) lines.push({ t, event: 'failed', text: 'right: SetPower 1 failed: not ready', resource: 'right' });
    if (step === 70)
      lines.push({ t, event: 'state', text: 'right: failed: cable out', resource: 'right', state: 'failed' });
    lines.push({ t, v: { 'left.position': Math.max(0, t - 2) * 0.8, 'left.power': t < 2 ? 0 : 0.4 } });
    lines.push({ t, v: { 'climate.celsius': 21 + Math.sin(t), 'bench.pin.16': 1 } });
  }
  lines.push({ t: seconds, event: 'end', text: 'Stopped' });
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}
