/** A machine with one module, for a test that kills it: `node unpacking-machine.ts FOLDER ARCHIVE`. */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { RegistryFiles } from '../registry/registry-files.ts';
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
const say = (what: string): void => void process.stdout.write(`${what}\n`);
machine.follow(registryModule(), () => ({}), {
  onFiles: () => say('whole'),
  onProgress: (progress) => say(progress?.step ?? 'nothing'),
  onMissing: (reason) => say(reason),
});
setInterval(() => undefined, 1_000);
