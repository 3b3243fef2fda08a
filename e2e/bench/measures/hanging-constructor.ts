import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../src-main/base/clock.ts';
import { LogRegistry } from '../../../src-main/machine/logging/log-registry.ts';
import { Machine } from '../../../src-main/machine/machine.ts';
import { ComputerHardware } from '../../../src-main/hardware/computer-hardware.ts';
import type { ModelCatalog } from '../../../src-main/machine/catalog/catalog-type.ts';
import type { CatalogEntry } from '../../../src-main/machine/catalog/model.ts';
import { sourceCatalog } from '../../fixtures/source-models.ts';
import type { Measure } from '../measure.ts';
import { rowOf, median } from '../statistics.ts';

const CHANGES_PER_ROUND = 40;
const HUNG = 'core:component:generic/stuck';
const CHANGED = 'core:component:board/bench';

/** A model whose constructor returns only on command. */
const hangingModel: CatalogEntry = {
  api: 'core:component:generic',
  model: 'core:bench:hanging',
  summary: 'Never becomes ready',
  schema: { type: 'object', properties: {} },
  inPlace: [],
  isActuator: false,
  mayCoexist: false,
  load: () =>
    Promise.resolve({
      build: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    }),
};

const catalog: ModelCatalog = {
  entries: () => [...sourceCatalog.entries(), hangingModel],
  find: (api, model) =>
    api === hangingModel.api && model === hangingModel.model ? hangingModel : sourceCatalog.find(api, model),
  apis: () => sourceCatalog.apis(),
};

interface MachineText {
  components: { name: string; api: string; model: string; attributes?: Record<string, unknown> }[];
}

/** The bench, with one more analog input in every other version, and optionally a constructor that hangs. */
function textOf(bench: string, version: number, hangs: boolean): string {
  const machine = JSON.parse(bench) as MachineText;
  const board = machine.components.find(({ name }) => name === 'bench');
  const analogs = board?.attributes?.['analogs'] as unknown[];
  if (version % 2 === 1) analogs.push({ name: 'extra', pin: '1', chip_select: '0', spi_bus: '0' });
  if (hangs) machine.components.push({ name: 'stuck', api: hangingModel.api, model: hangingModel.model });
  return JSON.stringify(machine, undefined, 2);
}

async function startMachine(folder: string, text: string): Promise<Machine> {
  const configPath = path.join(folder, 'machine.json');
  await writeFile(configPath, text);
  const machine = new Machine({
    name: 'bench',
    version: '0',
    configPath,
    stateFolder: path.join(folder, 'state'),
    environment: {},
    catalog,
    hardware: new ComputerHardware('linux'),
    clock: systemClock,
    logs: new LogRegistry({
      clock: systemClock,
      isDebugFlagSet: false,
      historyCapacity: 1_000,
      store: undefined,
      firstSeq: 1,
    }),
    resourceTimeoutMs: 600_000,
    modules: { home: folder, trust: () => undefined, isEnvironmentUntrusted: false },
    revealsDiffs: false,
    remotes: { authority: '', usesWebRtc: false, allowsInsecureCreds: false },
    onConfig: () => undefined,
    shutDown: () => undefined,
  });
  await machine.load();
  void machine.start(); // with a constructor that hangs it does not resolve
  return machine;
}

/** Resolves when every resource but the hanging one runs with `revision`. */
function untilReady(machine: Machine, revision: string): Promise<void> {
  return new Promise((resolve) => {
    let forget = (): void => undefined;
    let isDone = false;
    const look = (): void => {
      const others = machine.graph.statuses().filter(({ fullName }) => fullName !== HUNG);
      const board = others.find(({ fullName }) => fullName === CHANGED);
      if (board?.revision !== revision || others.some(({ state }) => state.kind !== 'ready')) return;
      isDone = true;
      forget();
      resolve();
    };
    forget = machine.graph.subscribe(look);
    if (isDone) forget();
  });
}

/** Applies a text and returns the milliseconds until everything that can be ready is. */
async function change(machine: Machine, text: string): Promise<number> {
  const startedAt = performance.now();
  const { revision: baseRevision } = machine.configuration.state;
  const outcome = await machine.configuration.apply({
    text,
    baseRevision,
    author: 'bench',
    note: '',
    returnAfterMs: 0,
  });
  if (outcome.kind !== 'applied') throw new Error(`Apply was ${outcome.kind}`);
  await untilReady(machine, outcome.revision);
  return performance.now() - startedAt;
}

/**
 * A change of the board, which rebuilds it and the four resources on it, while a constructor of another resource hangs
 * and while none does. Two machines inside this process, because no built-in model hangs.
 */
export const hangingConstructor: Measure = {
  name: 'hanging-constructor',
  isDefault: true,
  async run({ rounds, scratchFolder }) {
    const bench = await readFile(path.join(import.meta.dirname, '../../fixtures/bench.json'), 'utf8');
    const start = async (hangs: boolean): Promise<Machine> =>
      startMachine(await mkdtemp(path.join(scratchFolder, 'machine-')), textOf(bench, 0, hangs));
    const stuck = await start(true);
    const free = await start(false);
    const medianOf = async (machine: Machine, hangs: boolean): Promise<number> => {
      const elapsedMs: number[] = [];
      for (let version = 1; version <= CHANGES_PER_ROUND; version++) {
        elapsedMs.push(await change(machine, textOf(bench, version, hangs)));
      }
      if (hangs !== isStuck(machine)) throw new Error('the constructor that is to hang does not');
      return median(elapsedMs);
    };
    try {
      await Promise.all([stuck, free].map((machine) => untilReady(machine, machine.graph.desiredRevision)));
      const ours: number[] = [];
      const peer: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const figures = [await medianOf(stuck, true), await medianOf(free, false)] as const;
        if (round === 0) continue; // warms up
        ours.push(figures[0]);
        peer.push(figures[1]);
      }
      return [
        rowOf(
          {
            name: 'hanging constructor',
            what: 'an unrelated change: one constructor hangs / none does',
            unit: 'ms',
            target: { kind: 'at most', value: 1.5 },
          },
          { ours, peer },
          { 'changes a round': CHANGES_PER_ROUND },
        ),
      ];
    } finally {
      await Promise.all([stuck.close(), free.close()]);
    }
  },
};

function isStuck(machine: Machine): boolean {
  return machine.graph.status(HUNG)?.state.kind === 'configuring';
}
