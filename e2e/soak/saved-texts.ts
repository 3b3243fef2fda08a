import { createHash } from 'node:crypto';

/** A configuration that a machine can run; a truncated one, or a mixture of two, is detected. */
export function textOf(number: number): string {
  const filling = `${number} `.repeat(4_000);
  const sum = createHash('sha256').update(filling).digest('hex');
  const motor = { name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: 60 + number } };
  return JSON.stringify({ components: [{ ...motor, notes: `${number}:${sum}:${filling}` }] }, undefined, 2);
}

/** The number of a complete text; undefined for every other text. */
export function numberOf(text: string): number | undefined {
  const number = Number(/"notes": "(\d+):/.exec(text)?.[1] ?? Number.NaN);
  return text === textOf(number) ? number : undefined;
}
