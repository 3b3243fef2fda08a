import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adcCounts, probe, setAnalog } from '../bench.ts';

/** The frame of the data sheet (figure 6-1): start bit, single-ended, channel; 10 bits are returned right-aligned. */
const frame = (channel: number): string => Buffer.of(0x01, 0x80 | (channel << 4), 0x00).toString('hex');
const rawOf = (hex: string | undefined): number => Buffer.from(hex ?? '', 'hex').readUInt16BE(1) & 0x3ff;

test('every channel of the MCP3008 answers with its value', async () => {
  for (let channel = 0; channel < 8; channel++) setAnalog(channel, 100 * channel + 23);
  const before = adcCounts();
  for (let channel = 0; channel < 8; channel++) {
    const [answer] = await probe('spi', '/dev/spidev0.0', '0', '1350000', frame(channel));
    assert.equal(rawOf(answer), 100 * channel + 23);
  }
  const after = adcCounts();
  assert.equal(after.conversions - before.conversions, 8);
  assert.equal(after.speedHz, 1_350_000);
});

test('a batch is one call: each frame that lets chip select go is a conversion', async () => {
  setAnalog(2, 1023);
  setAnalog(5, 512);
  const before = adcCounts();
  const answers = await probe('spi', '/dev/spidev0.0', '0', '1000000', `${frame(2)}^`, `${frame(5)}^`, frame(2));
  assert.deepEqual(answers.map(rawOf), [1023, 512, 1023]);
  const after = adcCounts();
  assert.equal(after.messages - before.messages, 1);
  assert.equal(after.transfers - before.transfers, 3);

  const long = Array.from({ length: 120 }, () => `${frame(5)}^`);
  const many = await probe('spi', '/dev/spidev0.0', '0', '1000000', ...long);
  assert.deepEqual(new Set(many.map(rawOf)), new Set([512]));
});

test('without letting chip select go the second frame is part of the first conversion', async () => {
  setAnalog(2, 0);
  setAnalog(5, 1023);
  const [, second] = await probe('spi', '/dev/spidev0.0', '0', '1000000', frame(2), frame(5));
  assert.equal(rawOf(second), 0);
});

test('mode 3 answers as mode 0 does, mode 1 does not; what spidev refuses is refused', async () => {
  setAnalog(1, 700);
  assert.equal(rawOf((await probe('spi', '/dev/spidev0.0', '3', '1000000', frame(1)))[0]), 700);
  assert.equal(rawOf((await probe('spi', '/dev/spidev0.0', '1', '1000000', frame(1)))[0]), 1023);
  assert.equal(rawOf((await probe('spi', '/dev/spidev0.0', '0', '1000000', frame(1)))[0]), 700);
  await assert.rejects(probe('spi', '/dev/spidev0.0', '0', '1000000', '00'.repeat(4097)), /Message too long/);
});

test('the MCP3208 answers with 12 bits', async () => {
  setAnalog(6, 3001, 'spidev0.1');
  const [answer] = await probe('spi', '/dev/spidev0.1', '0', '1000000', Buffer.of(0x07, 0x80, 0x00).toString('hex'));
  assert.equal(Buffer.from(answer ?? '', 'hex').readUInt16BE(1) & 0xfff, 3001);
});
