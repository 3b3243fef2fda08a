import { watch } from 'node:fs/promises';
import path from 'node:path';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import {
  Module_State as State,
  StatusServiceDefinition,
  type Module,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import { sleep, systemClock, type Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import { buildModule, type BuiltModule } from './build-command.ts';
import { readMeta } from './module-meta.ts';
import { readCommandLine, type ModuleIo } from './module-io.ts';
import { hubOptions, inWords, LOCAL_ADDRESS, RemoteCaller } from './registry/remote-caller.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 200;
/** Delay between attempts to follow a machine that is offline. */
const RETRY_MS = 1_000;
const OUTPUT = /(^|[/\\])(node_modules|dist|\.git|\.venv|__pycache__)([/\\]|$)|\.tar\.gz(\.part)?$|~$|\.sw.$/;

/** `armature module watch`: builds at each save, restarts the module on a machine, and prints its state there. */
export async function watchCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const { 'key-id': id, key } = hubOptions;
  const options = { 'key-id': id, key, 'hub-ca': 'string', machine: 'string', name: 'string' } as const;
  const line = readCommandLine(args, options, 1);
  const folder = path.resolve(io.cwd, line.positionals[0] ?? '.');
  const meta = await readMeta(folder);
  const machine = await RemoteCaller.connect(line.text('machine') ?? LOCAL_ADDRESS, line, io);
  // Ends the calls under way too.
  const stop = (): void => machine.close();
  io.signal.addEventListener('abort', stop, { once: true });
  try {
    const target = { moduleId: meta.moduleId, name: line.text('name'), machine };
    const told = tellStates(target, io);
    await buildAtEachSave(folder, io, async (built) => restart(target, built, io));
    await told;
  } finally {
    io.signal.removeEventListener('abort', stop);
    machine.close();
  }
  return 0;
}

interface Target {
  readonly moduleId: string;
  /** As configured; undefined for any with the id. */
  readonly name: string | undefined;
  readonly machine: RemoteCaller;
}

/** Builds now and after each save, one build at a time, until the command is ended. */
async function buildAtEachSave(
  folder: string,
  io: ModuleIo,
  onBuilt: (built: BuiltModule) => Promise<void>,
): Promise<void> {
  let isBuilding = false;
  let isStale = false;
  const build = async (): Promise<void> => {
    if (isBuilding) {
      isStale = true;
      return;
    }
    isBuilding = true;
    do {
      isStale = false;
      try {
        const built = await buildModule(folder, undefined, io);
        io.stdout(`built ${path.relative(io.cwd, built.archive)}\n`);
        await onBuilt(built);
      } catch (thrown) {
        // The author is looking, and the next save is the next try.
        io.stderr(`${toArmatureError(thrown).message}\n`);
      }
    } while (isStale);
    isBuilding = false;
  };
  let settle: Timer | undefined;
  // Watched before the first build, so that changes during it are built too.
  const changes = watch(folder, { recursive: true, signal: io.signal });
  const first = build();
  try {
    for await (const { filename } of changes) {
      if (filename === null || OUTPUT.test(filename)) continue;
      settle?.cancel();
      settle = systemClock.after(SETTLE_MS, () => void build());
    }
  } catch (thrown) {
    if (!io.signal.aborted) throw thrown;
  }
  await first;
}

async function restart({ moduleId, name, machine }: Target, built: BuiltModule, io: ModuleIo): Promise<void> {
  try {
    await machine.call(RobotServiceDefinition, 'restartModule', { moduleId, moduleName: name ?? '' });
  } catch (thrown) {
    if (!(thrown instanceof ArmatureError) || thrown.info.status !== StatusCode.NOT_FOUND) throw thrown;
    const module = {
      type: 'local',
      name: name ?? moduleId.replace(':', '_'),
      module_id: moduleId,
      executable_path: built.program ?? built.archive,
      version: 'latest',
    };
    io.stderr(
      `${thrown.message}\nAdd it to "modules" in the configuration of ${machine.address}:\n${JSON.stringify(module, null, 2)}\n`,
    );
  }
}

/** Prints each new state of the module until the command is ended; an offline machine is asked again. */
async function tellStates(target: Target, io: ModuleIo): Promise<void> {
  let last = '';
  const tell = (words: string, write: (text: string) => void): void => {
    if (words !== last) write(`${words}\n`);
    last = words;
  };
  while (!io.signal.aborted) {
    try {
      for await (const event of target.machine.stream(StatusServiceDefinition, 'watch', {})) {
        for (const module of modulesIn(event)) {
          const isMeant = target.name === undefined ? module.moduleId === target.moduleId : module.name === target.name;
          if (isMeant) tell(wordsOf(module), (text) => io.stdout(text));
        }
      }
    } catch (thrown) {
      if (io.signal.aborted) return;
      tell(inWords(thrown, target.machine.address).message, (text) => io.stderr(text));
    }
    await sleep(systemClock, RETRY_MS, io.signal);
  }
}

function modulesIn({ event }: WatchResponse): readonly Module[] {
  if (event?.$case === 'snapshot') return event.value.modules;
  return event?.$case === 'changes' ? event.value.upsertedModules : [];
}

const stateWords: Readonly<Record<number, string>> = {
  [State.PENDING]: 'waits',
  [State.STARTING]: 'starts',
  [State.READY]: 'is ready',
  [State.FAILED]: 'failed',
  [State.STOPPING]: 'stops',
  [State.DISABLED]: 'is disabled',
};

function wordsOf({ name, state, reason, models }: Module): string {
  const more = state === State.READY ? `: ${models.join(', ')}` : reason === '' ? '' : `: ${reason}`;
  return `${name} ${stateWords[state] ?? 'is in a state that this program does not know'}${more}`;
}
