import { rm } from 'node:fs/promises';
import path from 'node:path';
import { benchConfig } from '../machine-configs.ts';
import type { Measure, Outcome } from '../measure.ts';
import { msToMotor, msToVersion, startArmature } from '../servers/armature.ts';
import { installNodeRed, makeUserFolder, msToFlow, startNodeRed } from '../servers/node-red.ts';
import { median, rowOf } from '../statistics.ts';

const compileCache = path.join(import.meta.dirname, '../../../node_modules/.cache/armature');

/** From exec to the first call answered by a resource, compared with Node-RED's first request answered by a flow. */
export const startUp: Measure = {
  name: 'start-up',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    await installNodeRed(note);
    const userFolder = await makeUserFolder(scratchFolder);
    const cacheOfPeer = { NODE_COMPILE_CACHE: path.join(scratchFolder, 'compile-cache') };

    const ours = async (msTo: typeof msToMotor): Promise<number> => {
      const server = await startArmature(scratchFolder, (port) => benchConfig(port, 0));
      try {
        return await msTo(server);
      } finally {
        await server.end();
      }
    };
    const peer = async (environment: Readonly<Record<string, string>>): Promise<number> => {
      const server = await startNodeRed(userFolder, environment);
      try {
        return await msToFlow(server);
      } finally {
        await server.end();
      }
    };

    await rm(compileCache, { recursive: true, force: true });
    const firstEver = await ours(msToMotor);
    const toMotor: number[] = [];
    const toVersion: number[] = [];
    const toFlow: number[] = [];
    const toFlowCached: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const figures = [
        await ours(msToMotor),
        await peer({}),
        await ours(msToVersion),
        await peer(cacheOfPeer),
      ] as const;
      if (round === 0) continue; // fills the caches of both
      toMotor.push(figures[0]);
      toFlow.push(figures[1]);
      toVersion.push(figures[2]);
      toFlowCached.push(figures[3]);
    }
    return [
      rowOf(
        {
          name: 'start-up',
          what: 'exec to IsMoving answered / Node-RED: exec to its flow answered',
          unit: 'ms',
          target: { kind: 'at most', value: 0.35 },
        },
        { ours: toMotor, peer: toFlow },
        { 'to GetVersion, ms': median(toVersion), 'first start ever, nothing compiled, ms': firstEver },
      ),
      rowOf(
        {
          name: 'start-up, cached peer',
          what: 'the same, Node-RED with NODE_COMPILE_CACHE set',
          unit: 'ms',
          target: undefined,
        },
        { ours: toMotor, peer: toFlowCached },
        {},
      ),
    ];
  },
};
