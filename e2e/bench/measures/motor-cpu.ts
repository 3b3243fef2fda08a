import { setTimeout as pause } from 'node:timers/promises';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { motorsConfig } from '../machine-configs.ts';
import type { Measure } from '../measure.ts';
import { cpuMicros } from '../process-figures.ts';
import { msToVersion, startArmature, type ArmatureServer } from '../servers/armature.ts';
import { median, rowOf } from '../statistics.ts';

const MOTORS = 8;
const RPM = 60;
/** Processor time is counted in steps of 10 ms, which in this window is 2 ms a second. */
const WINDOW_MS = 5_000;
/** Many time constants of the motors, and enough for the controller to learn them. */
const SETTLE_MS = 2_000;
/** The power of a controlled motor varies about a mean: this many samples show it. */
const LOOKS = 100;

interface Turning {
  /** Processor time a second, ms. */
  readonly cpuMs: number;
  /** Mean of the motors. */
  readonly rpm: number;
}

class Bench {
  readonly #server: ArmatureServer;
  readonly #client: MachineClient;
  readonly #motors: readonly string[];

  constructor(server: ArmatureServer, motors: readonly string[]) {
    this.#server = server;
    this.#client = new MachineClient(server.url);
    this.#motors = motors;
  }

  close(): void {
    this.#client.close();
  }

  /** At a speed that the controller holds. */
  async controlled(): Promise<Turning> {
    await this.#each((name) => this.#client.grpc.call(MotorServiceDefinition, 'setRPM', { name, rpm: RPM }));
    return this.#turning();
  }

  /** At the power that each motor has been given lately, without speed control. */
  async uncontrolled(): Promise<Turning> {
    const looks: (readonly number[])[] = [];
    while (looks.length < LOOKS) looks.push(await this.#each((name) => this.#client.power(name)));
    const powerOf = (motor: number): number => looks.reduce((sum, powers) => sum + (powers[motor] ?? 0), 0) / LOOKS;
    await this.#each((name, index) => this.#client.setPower(name, powerOf(index)));
    return this.#turning();
  }

  /** With all motors stopped. @returns processor time a second, ms */
  async stopped(): Promise<number> {
    await this.#client.stopAll();
    return (await this.#turning()).cpuMs;
  }

  async #turning(): Promise<Turning> {
    await pause(SETTLE_MS);
    const before = await this.#positions();
    const [beganAt, micros] = [performance.now(), cpuMicros(this.#server.child)];
    await pause(WINDOW_MS);
    const seconds = (performance.now() - beganAt) / 1_000;
    const cpuMs = (cpuMicros(this.#server.child) - micros) / 1_000 / seconds;
    return { cpuMs, rpm: (((await this.#positions()) - before) / MOTORS / seconds) * 60 };
  }

  async #positions(): Promise<number> {
    return (await this.#each((name) => this.#client.position(name))).reduce((sum, position) => sum + position, 0);
  }

  #each<Answer>(call: (name: string, index: number) => Promise<Answer>): Promise<Answer[]> {
    return Promise.all(this.#motors.map(call));
  }
}

/**
 * The cost of the controller of encoded motors: eight of them at a controlled speed, against the same motors at the
 * same power without control. Both turn on a fake board, whose simulation is in both figures.
 */
export const motorCpu: Measure = {
  name: 'motor-cpu',
  isDefault: true,
  async run({ rounds, scratchFolder, note }) {
    const motors = Array.from({ length: MOTORS }, (_, index) => `motor-${index}`);
    const server = await startArmature(scratchFolder, (port) => motorsConfig(port, motors));
    const bench = new Bench(server, motors);
    try {
      await msToVersion(server);
      await bench.controlled(); // the first time, the controller learns the motors
      const idle = await bench.stopped();
      const [ours, peer]: [Turning[], Turning[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        note(`motor-cpu: round ${round + 1}`);
        ours.push(await bench.controlled());
        peer.push(await bench.uncontrolled());
      }
      const of = (turning: readonly Turning[], key: keyof Turning): number[] => turning.map((one) => one[key]);
      const added = ours.map(({ cpuMs }, round) => (cpuMs - (peer[round]?.cpuMs ?? Number.NaN)) / MOTORS);
      const row = rowOf(
        {
          name: 'controller, CPU',
          what: `processor time a second: ${MOTORS} encoded motors at a speed / at a set power`,
          unit: 'ms',
          target: undefined,
        },
        { ours: of(ours, 'cpuMs'), peer: of(peer, 'cpuMs') },
        {
          'the controller, a motor, ms a second': median(added),
          'nothing turns, ms a second': idle,
          'speed, rpm': `${median(of(ours, 'rpm')).toFixed(1)} / ${median(of(peer, 'rpm')).toFixed(1)}`,
        },
      );
      return [row];
    } finally {
      bench.close();
      await server.end();
    }
  },
};
