import { describe, expect, it } from 'vitest';
import { TestBench } from '../bench.fixture.ts';
import type { Sensor } from '../../../apis/sensor.ts';

const loopback = { name: 'pot', pin: '1', chip_select: '0', spi_bus: '0' };

async function sensorOn(attributes: object = {}) {
  const bench = new TestBench();
  const board = bench.board({ analogs: [loopback] });
  const sensor = await bench.build<Sensor>('core:component:sensor', 'analog', 'level', {
    board: 'bench',
    analog: 'pot',
    ...attributes,
  });
  return { bench, board, sensor };
}

describe('analog sensor', () => {
  it('reads an analog: raw × scale + offset, with its unit', async () => {
    const { board, sensor } = await sensorOn({ scale: 0.5, offset: -10, unit: '°C' });
    await board.writeAnalog('1', 100);
    expect(await sensor.readings()).toEqual({ value: 40, raw: 100, unit: '°C' });
  });

  it('without scale, offset and unit is the raw value, and takes them in place', async () => {
    const { board, sensor } = await sensorOn();
    await board.writeAnalog('1', 7);
    expect(await sensor.readings()).toEqual({ value: 7, raw: 7 });
    await sensor.reconfigure?.({ board: 'bench', analog: 'pot', scale: 2 });
    expect(await sensor.readings()).toEqual({ value: 14, raw: 7 });
  });

  it('names sensor, analog and board where the board has no such analog', async () => {
    const { sensor } = await sensorOn({ analog: 'pit' });
    await expect(sensor.readings()).rejects.toMatchObject({
      code: 'call.not_found',
      message:
        'Sensor "level": analog "pit" of board "bench" was not read: Board "bench" has no analog "pit"; it has "pot".',
    });
  });

  it('fails where the board hangs or fails', async () => {
    const { bench, board, sensor } = await sensorOn();
    board.readAnalog = () => new Promise(() => undefined);
    await expect(bench.passUntil(sensor.readings())).rejects.toMatchObject({ code: 'resource.timeout' });
    board.readAnalog = () => Promise.reject(new Error('no acknowledge'));
    await expect(sensor.readings()).rejects.toMatchObject({ code: 'hardware.failed' });
  });
});
