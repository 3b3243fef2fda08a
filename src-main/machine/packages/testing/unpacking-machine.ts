/** A machine with one module, for a test that kills it: `node unpacking-machine.ts FOLDER ARCHIVE`. */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { RegistryFiles } from '../registry-files.ts';
import { registryModule } from './package-bench.ts';
import { TestLink, TestRegistry } from './test-registry.ts';

const [folder = '', archive = ''] = process.argv.slice(2);
const registry = new TestRegistry();
await registry.publish('acme:motors', '1.0.0', { bytes: readFileSync(archive) });
const machine = new RegistryFiles({
  folder,
  machine: 'part-1',
  link: TestLink.to(registry),
  platform: { platform: 'linux/amd64', tags: [] },
  clock: systemClock,
  random: () => 0,
  logger: silentLogger,
  moduleLogger: () => silentLogger,
});
machine.follow(registryModule(), () => ({}), {
  onFiles: () => console.log('whole'),
  onProgress: (progress) => console.log(progress?.step ?? 'nothing'),
  onMissing: (reason) => console.log(reason),
});
setInterval(() => undefined, 1_000);
