import { setTimeout as pause } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import { benchConfig } from '../machine-configs.ts';
import type { Measure, Outcome, Target } from '../measure.ts';
import { memoryOf, type MemoryFigures } from '../process-figures.ts';
import { msToMotor, startArmature } from '../servers/armature.ts';
import { installNodeRed, makeUserFolder, msToFlow, startNodeRed } from '../servers/node-red.ts';
import { rowOf } from '../statistics.ts';

const IDLE_MS = 5_000;

interface Running {
  readonly child: ChildProcess;
  end(): Promise<void>;
}

/** Memory of a server that has answered one call and was then left idle. */
async function idle<S extends Running>(server: S, firstAnswer: (server: S) => Promise<number>): Promise<MemoryFigures> {
  try {
    await firstAnswer(server);
    await pause(IDLE_MS);
    return memoryOf(server.child);
  } finally {
    await server.end();
  }
}

/** Memory five seconds after the first answer, against Node-RED with one flow. */
export const idleMemory: Measure = {
  name: 'idle-memory',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    await installNodeRed(note);
    const userFolder = await makeUserFolder(scratchFolder);
    const ours: MemoryFigures[] = [];
    const peer: MemoryFigures[] = [];
    for (let round = 0; round <= rounds; round++) {
      const config = (port: number): string => benchConfig(port, 0);
      const figures = [
        await idle(await startArmature(scratchFolder, config), msToMotor),
        await idle(await startNodeRed(userFolder, {}), msToFlow),
      ] as const;
      if (round === 0) continue; // the first start compiles and writes files
      ours.push(figures[0]);
      peer.push(figures[1]);
    }
    const row = (name: string, key: keyof MemoryFigures, target: Target | undefined): Outcome =>
      rowOf(
        { name, what: '5 s after the first answer / Node-RED with one flow', unit: 'MiB', target },
        { ours: ours.map((figures) => figures[key]), peer: peer.map((figures) => figures[key]) },
        {},
      );
    const target: Target = { kind: 'at most', value: 0.7 };
    return [
      row('idle memory, PSS', 'pssMib', target),
      row('idle memory, RSS', 'rssMib', target),
      row('of RSS, no file', 'anonymousMib', undefined),
    ];
  },
};
