import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from '../harness/until.ts';

const START_LIMIT_MS = 60_000;
/** Debian's Slurm keeps its daemons where only root's PATH finds them. */
const PATH = `/usr/sbin:/usr/bin:/sbin:/bin:${process.env['PATH'] ?? ''}`;
const NODE = os.hostname().split('.')[0] ?? 'localhost';

/** The reason why no cluster can be started here; undefined where one can. */
export function whyNoSlurm(): string | undefined {
  if (process.platform !== 'linux') return 'Slurm needs Linux';
  if (process.getuid?.() !== 0) return "Slurm's daemons start jobs only as root";
  for (const program of ['munged', 'slurmctld', 'slurmd', 'sbatch']) {
    const found = spawnSync(program, ['-V'], { env: { ...process.env, PATH }, stdio: 'ignore' });
    if (found.error !== undefined) return `${program} is not installed (apt-get install slurm-wlm munge)`;
  }
  return undefined;
}

/**
 * A cluster of one node, this computer, with its own key, ports and folders. It is stopped with the test, by process
 * id.
 */
export class SlurmCluster {
  /** Folder that hub and node share. */
  readonly shared: string;
  readonly #folder: string;
  readonly #daemons = new Map<string, ChildProcess>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.shared = path.join(folder, 'shared');
  }

  /** Starts one, and sets SLURM_CONF, by which Slurm's programs find it, for this process and its child processes. */
  static async start(): Promise<SlurmCluster> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-slurm-'));
    // Munge refuses keys in folders that others may write to, and Slurm's programs read their files from here.
    await chmod(folder, 0o755);
    const cluster = new SlurmCluster(folder);
    for (const name of ['shared', 'state', 'spool']) await mkdir(path.join(folder, name), { mode: 0o755 });
    await writeFile(path.join(folder, 'munge.key'), randomBytes(1_024), { mode: 0o400 });
    await writeFile(path.join(folder, 'slurm.conf'), await configuration(folder), { mode: 0o644 });
    process.env['SLURM_CONF'] = path.join(folder, 'slurm.conf');
    try {
      cluster.#spawn('munged', ['--foreground', ...mungeFiles(folder)]);
      cluster.startController();
      cluster.#spawn('slurmd', ['-D']);
      await cluster.#settles(
        'is idle',
        async () => (await cluster.ask('sinfo', '--noheader', '--format=%T')) === 'idle',
      );
    } catch (thrown) {
      await cluster.end();
      throw thrown;
    }
    return cluster;
  }

  /** Runs a program of Slurm; returns its output without the line end, or '' where it fails. */
  async ask(program: string, ...args: readonly string[]): Promise<string> {
    try {
      return (await promisify(execFile)(program, args, { env: { ...process.env, PATH } })).stdout.trim();
    } catch {
      // The controller is down.
      return '';
    }
  }

  /** Names and states of the jobs that Slurm knows, `name STATE`, including those that ended recently. */
  async jobs(): Promise<readonly string[]> {
    const text = await this.ask('squeue', '--noheader', '--states=all', '--format=%j %T');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Waits until no job is pending, running or completing. */
  async isEmpty(): Promise<void> {
    await this.#settles('has nothing in its queue', async () => (await this.ask('squeue', '--noheader')) === '');
  }

  /** Id of the pending or running job. */
  async jobId(): Promise<string> {
    let id = '';
    await this.#settles('has a job', async () => (id = await this.ask('squeue', '--noheader', '--format=%i')) !== '');
    return id;
  }

  startController(): void {
    this.#spawn('slurmctld', ['-D']);
  }

  /** Kills the controller as a crash does, once it has saved the state of running jobs to disk, which takes seconds. */
  async killController(): Promise<void> {
    const job = await this.ask('squeue', '--noheader', '--states=running', '--format=%i');
    if (job !== '') {
      const file = path.join(this.#folder, 'state/job_state');
      const changedAt = Date.now();
      await this.ask('scontrol', 'update', `jobid=${job}`, 'comment=kept');
      const isKept = async (): Promise<boolean> => (await stat(file)).mtimeMs > changedAt;
      await this.#settles('has stored its state', () => isKept().catch(() => false));
    }
    await this.#kill('slurmctld', 'SIGKILL');
  }

  /** Marks the node as down. */
  async failNode(): Promise<void> {
    await this.ask('scontrol', 'update', `nodename=${NODE}`, 'state=down', 'reason=test');
  }

  async repairNode(): Promise<void> {
    await this.ask('scontrol', 'update', `nodename=${NODE}`, 'state=idle');
  }

  /** Stops everything that was started, jobs first. */
  async end(): Promise<void> {
    if (this.#daemons.has('slurmctld')) {
      await this.ask('scancel', '--user=root');
      await this.isEmpty().catch(() => undefined);
    }
    for (const name of ['slurmd', 'slurmctld', 'munged']) await this.#kill(name, 'SIGTERM');
    delete process.env['SLURM_CONF'];
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  async #settles(what: string, holds: () => Promise<boolean>): Promise<void> {
    try {
      await until(`the cluster ${what}`, holds, START_LIMIT_MS, 100);
    } catch (thrown) {
      const logs = ['munged', 'slurmctld', 'slurmd'].map((name) =>
        readFile(path.join(this.#folder, `${name}.log`), 'utf8').then((text) => `${name}: ${text.slice(-2_000)}`),
      );
      const said = await Promise.allSettled(logs);
      const texts = said.map((one) => (one.status === 'fulfilled' ? one.value : ''));
      throw new Error(`${String(thrown)}\n${texts.join('\n')}`, { cause: thrown });
    }
  }

  #spawn(name: string, args: readonly string[]): void {
    // Nothing of it is left even if the test itself is killed.
    const command = ['--pdeathsig', 'TERM', name, ...args];
    const child = spawn('setpriv', command, { env: { ...process.env, PATH }, stdio: 'ignore' });
    // Noticed because it does not answer.
    child.on('error', () => undefined);
    this.#daemons.set(name, child);
  }

  async #kill(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#daemons.get(name);
    this.#daemons.delete(name);
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

function mungeFiles(folder: string): readonly string[] {
  const files = { 'key-file': 'key', socket: 'socket', 'pid-file': 'pid', 'seed-file': 'seed' };
  const options = Object.entries(files).map(([option, end]) => `--${option}=${path.join(folder, `munge.${end}`)}`);
  return [...options, `--log-file=${path.join(folder, 'munged.log')}`];
}

/** For one node whose kernel may not offer control groups to Slurm, as in a container. */
async function configuration(folder: string): Promise<string> {
  const place = (name: string): string => path.join(folder, name);
  const [controllerPort, nodePort] = [await freePort(), await freePort()];
  return `ClusterName=armature
SlurmctldHost=${NODE}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${place('munge.socket')}
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
StateSaveLocation=${place('state')}
SlurmdSpoolDir=${place('spool')}
SlurmctldPidFile=${place('slurmctld.pid')}
SlurmdPidFile=${place('slurmd.pid')}
SlurmctldLogFile=${place('slurmctld.log')}
SlurmdLogFile=${place('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
KillWait=15
MinJobAge=3600
NodeName=${NODE} NodeAddr=127.0.0.1 CPUs=1 RealMemory=1500 State=UNKNOWN
PartitionName=main Nodes=${NODE} Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=${NODE} MaxTime=1 State=UP
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
