/** A module whose models use other resources of the machine, and a custom API. */
import {
  ArmatureError,
  defineApi,
  defineModel,
  runModule,
  type Authored,
  type Board,
  type Message,
  type Tick,
} from '../index.ts';
import { counterDescriptors } from './counter-descriptors.ts';

/** Counts the edges of one of the machine's boards, and drives a pin of it. */
const edges = defineModel({
  api: 'core:component:sensor',
  model: 'acme:wired:edges',
  attributes: {
    type: 'object',
    properties: { board: { type: 'string' }, interrupt: { type: 'string' }, pin: { type: 'string' } },
    required: ['board', 'interrupt', 'pin'],
  },
  dependencies: ({ board }) => ({ required: [board] }),
  async build({ attributes, dependency, logger }) {
    const board = dependency('core:component:board', attributes.board);
    let count = 0;
    const unsubscribe = board.digitalInterrupt(attributes.interrupt).onTick(({ isHigh }) => {
      count++;
      logger.info(`edge ${count} ${isHigh ? 'up' : 'down'}`);
    });
    return {
      readings: async () => ({ count, pin: await board.gpioPin(attributes.pin).get() }),
      async doCommand({ pin, reach }) {
        if (typeof reach === 'string') dependency('core:component:motor', reach);
        await board.gpioPin(attributes.pin).set(pin === true);
        return {};
      },
      close: unsubscribe,
    };
  },
});

/** A board with one interrupt, whose ticks are triggered by DoCommand. */
const ticker = defineModel({
  api: 'core:component:board',
  model: 'acme:wired:ticker',
  build(): Authored<Board> {
    const listeners = new Set<(tick: Tick) => void>();
    const none = (what: string) => new ArmatureError('call.not_found', `There is no ${what}.`);
    return {
      gpioPin(pin) {
        throw none(`pin ${pin}`);
      },
      readAnalog: (name) => Promise.reject(none(`analog ${name}`)),
      writeAnalog: (pin) => Promise.reject(none(`analog ${pin}`)),
      digitalInterrupt(name) {
        if (name !== 'i1') throw none(`interrupt ${name}`);
        return {
          name,
          failure: undefined,
          value: async () => 0,
          level: async () => false,
          onTick(listener) {
            listeners.add(listener);
            return () => void listeners.delete(listener);
          },
        };
      },
      async doCommand({ ticks }) {
        for (let tick = 1; tick <= Number(ticks); tick++) {
          for (const listener of listeners) listener({ interrupt: 'i1', timeNs: BigInt(tick), isHigh: tick % 2 === 1 });
        }
        return { listeners: listeners.size };
      },
    };
  },
});

class Counter {
  total = 0n;
}

const counterApi = defineApi<Counter>({
  api: 'acme:component:counter',
  service: 'acme.counter.v1.CounterService',
  descriptors: counterDescriptors,
  handlers: {
    add(counter, { stepSize }: Message) {
      counter.total += stepSize as bigint;
      return { total: counter.total };
    },
    async *watch(counter, { stepSize }: Message, call) {
      while (!call.signal.aborted) yield { total: (counter.total += stepSize as bigint) };
    },
    async sum(counter, requests: AsyncIterable<Message>) {
      for await (const { stepSize } of requests) counter.total += stepSize as bigint;
      return { total: counter.total };
    },
    async *follow(counter, requests: AsyncIterable<Message>) {
      for await (const { stepSize } of requests) yield { total: (counter.total += stepSize as bigint) };
    },
  },
});

const counter = defineModel({ api: counterApi, model: 'acme:wired:counter', build: () => new Counter() });

void runModule({ models: [edges, ticker, counter] });
