import { open } from 'node:fs/promises';

/** An hour of 40 channels. */
export const LARGE_SAMPLES = 36_000;
export const LARGE_CHANNELS = 40;
/** One value of the first channel, which is otherwise from -2 to 2. */
export const LARGE_PEAK = { channel: nameOf(0), index: 20_011, value: 50 } as const;

const INTERVAL_MS = 100;
const GAP_EVERY = 7_001;

/** Writes the recording of 1,440,000 values: noisy waves, a gap now and then, and one peak. */
export async function writeLargeRecording(file: string): Promise<void> {
  const names = Array.from({ length: LARGE_CHANNELS }, (_, index) => nameOf(index));
  const out = await open(file, 'w');
  try {
    const lines: string[] = [];
    const line = (content: object): void => void lines.push(`${JSON.stringify(content)}\n`);
    line({ format: 'armature-recording', version: 1, machine: 'bench', started: '2026-11-27T12:00:00.000Z', hz: 10 });
    for (const channel of names)
      line({ channel, resource: `core:component:motor/${channel.split('.')[0]}`, unit: 'rpm' });
    let noise = 1;
    for (let step = 0; step < LARGE_SAMPLES; step++) {
      const values: Record<string, number | null> = {};
      for (const [index, name] of names.entries()) {
        noise = (noise * 48_271) % 2_147_483_647;
        const wave = Math.sin(step / (200 + 50 * index)) + (noise / 2_147_483_647 - 0.5);
        values[name] = Math.round(wave * 1e6) / 1e6;
      }
      if (step === LARGE_PEAK.index) values[LARGE_PEAK.channel] = LARGE_PEAK.value;
      if (step % GAP_EVERY === GAP_EVERY - 1) values[nameOf(1)] = null;
      line({ t: (step * INTERVAL_MS) / 1_000, v: values });
      if (lines.length >= 1_000) await out.write(lines.splice(0).join(''));
    }
    line({ t: (LARGE_SAMPLES * INTERVAL_MS) / 1_000, event: 'end', text: 'Stopped' });
    await out.write(lines.join(''));
  } finally {
    await out.close();
  }
}

function nameOf(index: number): string {
  return `axis-${index + 1}.speed`;
}
