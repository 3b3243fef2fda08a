/**
 * A module as an author writes it, started by the tests: a sensor, a motor and a generic, each with something to
 * observe.
 */
import { ArmatureError, defineModel, runModule, type Motor } from '../index.ts';

const thermometer = defineModel({
  api: 'core:component:sensor',
  model: 'acme:test:thermometer',
  attributes: {
    type: 'object',
    properties: {
      pin: { type: 'string', minLength: 1 },
      offset: { type: 'number', minimum: -10, maximum: 10 },
      board: { type: 'string' },
    },
    required: ['pin'],
    additionalProperties: false,
  },
  check: ({ pin }) => (pin === 'taken' ? ['pin is "taken": another program uses it; choose another one.'] : []),
  dependencies: ({ board }) => ({ required: [board], optional: ['spare'] }),
  build({ name, attributes, logger, signal }) {
    const { pin, offset = 0 } = attributes;
    if (pin === 'broken') throw new Error('the thermometer does not answer');
    logger.info(`built ${name}`, { pin, at: 1n });
    logger.debug('a detail');
    signal.addEventListener('abort', () => logger.info(`ended ${name}`));
    return {
      offset,
      readings: async () => ({ celsius: 21 + offset, pin }),
      doCommand: async ({ say }) => ({ said: say ?? null }),
      close: () => logger.info(`closed ${name}`),
    };
  },
});

/** Its value changes in place, while it keeps turning. */
class Winch implements Omit<Motor, 'name' | 'close'> {
  #power = 0;
  maxRpm: number;
  readonly #say: (text: string) => void;

  constructor(maxRpm: number, say: (text: string) => void) {
    this.maxRpm = maxRpm;
    this.#say = say;
  }

  async setPower(power: number): Promise<void> {
    this.#power = power;
  }

  async goFor(_rpm: number, _revolutions: number, options?: { readonly signal?: AbortSignal }): Promise<void> {
    this.#power = 1;
    this.#say('turning');
    await new Promise((_resolve, reject) => {
      options?.signal?.addEventListener('abort', () => {
        this.#power = 0;
        this.#say('cancelled');
        reject(new ArmatureError('call.cancelled', 'The caller is gone.'));
      });
    });
  }

  goTo(): Promise<void> {
    return Promise.reject(new ArmatureError('call.unimplemented', 'A winch has no GoTo.'));
  }

  async setRpm(rpm: number): Promise<void> {
    this.#power = rpm / this.maxRpm;
  }

  async resetZeroPosition(): Promise<void> {}

  async position(): Promise<number> {
    return 0;
  }

  async properties(): Promise<{ isPositionReported: boolean }> {
    return { isPositionReported: false };
  }

  async poweredState(): Promise<{ isOn: boolean; power: number }> {
    return { isOn: this.#power !== 0, power: this.#power };
  }

  async stop(): Promise<void> {
    this.#power = 0;
    this.#say('stopped');
  }

  async isMoving(): Promise<boolean> {
    return this.#power !== 0;
  }
}

const winch = defineModel({
  api: 'core:component:motor',
  model: 'acme:test:winch',
  attributes: {
    type: 'object',
    properties: { max_rpm: { type: 'number', exclusiveMinimum: 0 } },
    required: ['max_rpm'],
  },
  build: ({ attributes, logger }): Winch => new Winch(attributes.max_rpm, (text) => logger.info(text)),
  reconfigure(instance: Winch, { attributes }) {
    if (attributes.max_rpm > 1_000) throw new Error('more than 1,000 rpm takes another gear');
    instance.maxRpm = attributes.max_rpm;
  },
});

const box = defineModel({
  api: 'core:component:generic',
  model: 'acme:test:box',
  async build({ name, attributes, logger, signal }) {
    if (attributes['slow'] === true) {
      logger.info(`building ${name}`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      logger.info(`gave up ${name}`);
    }
    return {
      async doCommand(command) {
        if (command['break'] === true) setImmediate(() => thrown());
        if (command['flood'] !== undefined) {
          for (let line = 0; line < Number(command['flood']); line++) logger.info(`line ${line}`);
        }
        return { attributes, command };
      },
    };
  },
});

function thrown(): never {
  throw new Error('a wire came loose');
}

void runModule({ models: [thermometer, winch, box] });
