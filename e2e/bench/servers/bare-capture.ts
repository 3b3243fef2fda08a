/**
 * The minimum that captures readings: a timer for each sensor, an encoded reading, an append without waiting. Nothing
 * is checked, and after a power cut the file may end anywhere.
 *
 *     node bare-capture.ts FILE HZ SENSORS [HZ SENSORS]...
 */
import { createWriteStream } from 'node:fs';
import { MimeType, SensorData } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../proto/message.ts';

const [file = '', ...rates] = process.argv.slice(2);
const out = createWriteStream(file);

for (let at = 0; at < rates.length; at += 2) {
  const everyMs = 1_000 / Number(rates[at]);
  for (let sensor = 0; sensor < Number(rates[at + 1]); sensor++) begin(everyMs);
}
process.stdout.write('ready\n');

function begin(everyMs: number): void {
  let dueAt = performance.now();
  const read = (): void => {
    for (; dueAt <= performance.now(); dueAt += everyMs) {
      const now = new Date();
      const metadata = {
        timeRequested: now,
        timeReceived: now,
        mimeType: MimeType.UNSPECIFIED,
        annotations: undefined,
      };
      const value = { readings: { a: 1, b: 2, c: 3 } };
      out.write(encodeMessage(SensorData, { metadata, data: { $case: 'struct', value } }));
    }
    setTimeout(read, dueAt - performance.now());
  };
  read();
}
