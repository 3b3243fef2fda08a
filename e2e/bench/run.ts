/**
 * `npm run bench`: one table of ratios, each against a peer of the same run. `npm run bench -- NAME...` runs only these
 * measurements. Needs the built program (`npm run build`; the npm script runs it).
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CannotMeasure, type BenchContext, type Measure, type Outcome } from './measure.ts';
import { applyMeasure } from './measures/apply.ts';
import { dataCapture } from './measures/data-capture.ts';
import { hangingConstructor } from './measures/hanging-constructor.ts';
import { hardwareEdges } from './measures/hardware-edges.ts';
import { hardwareJitter } from './measures/hardware-jitter.ts';
import { hardwarePwm, hardwarePwmLoaded } from './measures/hardware-pwm.ts';
import { hardwareSafe } from './measures/hardware-safe.ts';
import { hardwareSpi } from './measures/hardware-spi.ts';
import { hubCluster } from './measures/hub-cluster.ts';
import { hubConfig } from './measures/hub-config.ts';
import { hubFleet } from './measures/hub-fleet.ts';
import { hubLogs } from './measures/hub-logs.ts';
import { idleMemory } from './measures/idle-memory.ts';
import { ingestRows } from './measures/ingest-rows.ts';
import { machineSize } from './measures/machine-size.ts';
import { moduleForwarding } from './measures/module-forwarding.ts';
import { moduleCrashLoops } from './measures/module-crash-loops.ts';
import { moduleLogLines } from './measures/module-log-lines.ts';
import { moduleRestart } from './measures/module-restart.ts';
import { motion } from './measures/motion.ts';
import { motorCpu } from './measures/motor-cpu.ts';
import { pageHistory } from './measures/page-history.ts';
import { pageLarge } from './measures/page-large.ts';
import { pageLatency } from './measures/page-latency.ts';
import { pagePlots } from './measures/page-plots.ts';
import { pageSize } from './measures/page-size.ts';
import { pictureTensors } from './measures/picture-tensors.ts';
import { startUp } from './measures/start-up.ts';
import { trainingJobs } from './measures/training-jobs.ts';
import { trainingList } from './measures/training-list.ts';
import { triggerDeliveries } from './measures/trigger-deliveries.ts';
import { transports } from './measures/transports.ts';
import { triggers } from './measures/triggers.ts';
import { unary } from './measures/unary.ts';
import { viamServer } from './measures/viam-server.ts';
import { vision } from './measures/vision.ts';
import { webRtc } from './measures/webrtc.ts';
import { endAllAtExit, pinSelf } from './pinned-process.ts';
import { detailsOf, readConditions, tableOf } from './report.ts';

const ROUNDS = 5;
const measures: readonly Measure[] = [
  unary,
  moduleForwarding,
  machineSize,
  applyMeasure,
  hangingConstructor,
  startUp,
  idleMemory,
  viamServer,
  pageLatency,
  pageHistory,
  pageLarge,
  pagePlots,
  pageSize,
  hubConfig,
  hubFleet,
  hubCluster,
  hubLogs,
  hardwarePwm,
  hardwarePwmLoaded,
  hardwareJitter,
  hardwareEdges,
  hardwareSpi,
  hardwareSafe,
  moduleRestart,
  moduleLogLines,
  moduleCrashLoops,
  motion,
  motorCpu,
  dataCapture,
  ingestRows,
  triggers,
  triggerDeliveries,
  webRtc,
  vision,
  pictureTensors,
  trainingJobs,
  trainingList,
  transports,
];
const outFolder = path.join(import.meta.dirname, 'out');

function chosen(names: readonly string[]): readonly Measure[] {
  const unknown = names.filter((name) => !measures.some((measure) => measure.name === name));
  if (unknown.length > 0) {
    const known = measures.map(({ name }) => name).join(', ');
    process.stderr.write(`bench: there is no "${unknown.join('", "')}"; there are ${known}\n`);
    process.exit(2);
  }
  return measures.filter(({ name, isDefault }) => (names.length === 0 ? isDefault : names.includes(name)));
}

async function outcomesOf(measure: Measure, context: BenchContext): Promise<readonly Outcome[]> {
  try {
    return await measure.run(context);
  } catch (thrown) {
    if (thrown instanceof CannotMeasure) return [{ name: measure.name, missing: 'skipped', reason: thrown.message }];
    context.note(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    process.exitCode = 1;
    return [{ name: measure.name, missing: 'failed', reason: 'see above' }];
  }
}

async function main(names: readonly string[]): Promise<void> {
  const selected = chosen(names);
  const conditions = readConditions(ROUNDS);
  pinSelf();
  endAllAtExit();
  const note = (text: string): void => void process.stderr.write(`bench: ${text}\n`);
  const scratchFolder = await mkdtemp(path.join(os.tmpdir(), 'armature-bench-'));
  const outcomes: Outcome[] = [];
  try {
    for (const measure of selected) {
      note(measure.name);
      outcomes.push(...(await outcomesOf(measure, { rounds: ROUNDS, scratchFolder, note })));
    }
  } finally {
    await rm(scratchFolder, { recursive: true, force: true });
  }
  await mkdir(outFolder, { recursive: true });
  await writeFile(path.join(outFolder, 'results.json'), `${JSON.stringify({ conditions, outcomes }, undefined, 2)}\n`);
  const heading = Object.entries(conditions).map(([key, value]) => `${key}: ${value}`);
  process.stdout.write(`${heading.join('\n')}\n\n${tableOf(outcomes)}\n\n${detailsOf(outcomes)}\n`);
}

await main(process.argv.slice(2));
