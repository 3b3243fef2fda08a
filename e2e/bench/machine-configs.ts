import { readFileSync } from 'node:fs';
import path from 'node:path';

const benchFile = path.join(import.meta.dirname, '../fixtures/bench.json');

interface MachineText {
  components: unknown[];
  network: { bind_address: string };
}

/** A resource that depends on nothing; the three models take turns. */
function independent(index: number): object {
  switch (index % 3) {
    case 0:
      return { name: `echo-${index}`, api: 'core:component:generic', model: 'fake' };
    case 1:
      return { name: `motor-${index}`, api: 'core:component:motor', model: 'fake', attributes: { max_rpm: 100 } };
    default:
      return {
        name: `sensor-${index}`,
        api: 'core:component:sensor',
        model: 'fake',
        attributes: { readings: { temperature: 20 } },
      };
  }
}

/** The bench of e2e/fixtures (7 resources) filled up to `total` resources, served on one port. */
export function benchConfig(port: number, total: number): string {
  const machine = JSON.parse(readFileSync(benchFile, 'utf8')) as MachineText;
  machine.network.bind_address = `127.0.0.1:${port}`;
  const missing = Math.max(0, total - machine.components.length);
  machine.components.push(...Array.from({ length: missing }, (_, index) => independent(index)));
  return JSON.stringify(machine, undefined, 2);
}

/** A machine of `total` resources, none of which depends on another. */
export function independentConfig(port: number, total: number): string {
  const components = Array.from({ length: total }, (_, index) => independent(index));
  return JSON.stringify({ components, network: { bind_address: `127.0.0.1:${port}` } }, undefined, 2);
}
