import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { nodeOptions } from '../../build/node-options.mjs';
import { until } from './until.ts';

const repository = path.resolve(import.meta.dirname, '../..');
/** Arguments of Node that run the command. */
export const armature: readonly string[] = [...nodeOptions, path.join(repository, 'build/armature.js')];
/** The configuration with this time after which the session of a silent client expires. */
export function withWindow(config: string, window: string): string {
  const document = JSON.parse(config) as { network?: object };
  return JSON.stringify({ ...document, network: { ...document.network, sessions: { heartbeat_window: window } } });
}

export const benchConfig = path.join(repository, 'e2e/fixtures/bench.json');

export interface ServerProcess {
  readonly process: ChildProcess;
  /** `http://localhost:PORT`, or `https:` with a certificate, from the line `serving on <url>`. */
  readonly url: string;
  /** Address of the page with its launch token, from the line `open <url>`. */
  readonly pageUrl: string;
  readonly token: string;
  readonly port: number;
  readonly home: string;
  readonly configPath: string;
  /** Everything written to standard output so far. */
  readonly stdout: () => string;
  /** Everything written to standard error so far: the log, unless `-log-file` is given. */
  readonly stderr: () => string;
  writeConfig(text: string): Promise<void>;
  /** Ends it with SIGTERM and returns its exit code. */
  stop(): Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends it with SIGKILL and leaves its home as it is, for {@link ServerOptions.home}. */
  crash(): Promise<void>;
}

export interface ServerOptions {
  /** Text of the configuration file. */
  readonly config: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * A folder for configuration and home that outlives this server; whoever chooses it removes it. If it already has a
   * configuration, that one is used unchanged.
   */
  readonly home?: string;
  /** What Node runs, with the options of `armature server`: another program that prints the same lines. */
  readonly program?: readonly string[];
  /** A program with arguments that runs Node by exec. */
  readonly through?: readonly string[];
  /** The path of `home` as the server sees it, if what runs the server shows it elsewhere. */
  readonly inside?: string;
  /** Timeout for becoming ready, ms: an emulated computer needs more than the default. */
  readonly readyWithinMs?: number;
}

/** The result of a run that ended by itself. */
export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Timeout for a run that should end by itself. */
const RUN_LIMIT_MS = 20_000;

/**
 * Runs the program to its end. If it does not end in time, it is killed and its code is null.
 * @param through a program with arguments that runs Node by exec
 */
export async function runArmature(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { limitMs = RUN_LIMIT_MS, through = [] }: { readonly limitMs?: number; readonly through?: readonly string[] } = {},
): Promise<ProgramRun> {
  const [program = process.execPath, ...before] = [...through, process.execPath];
  const child = spawn(program, [...before, ...armature, ...args], {
    env: { ...process.env, SVC_HOME: path.join(os.tmpdir(), 'armature-e2e-no-home'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** Whether the machine reports that it is ready. Accepts any certificate. */
function isReady(url: string): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    get(`${url}/healthz/ready`, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', reject);
  });
}

/** Starts the built server on a free port with its own home, and waits until it answers. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const home = options.home ?? (await mkdtemp(path.join(os.tmpdir(), 'armature-e2e-')));
  const configPath = path.join(home, 'machine.json');
  if (options.home === undefined || !existsSync(configPath)) await writeFile(configPath, options.config);
  const program = options.program ?? [...armature, 'server'];
  const [command = process.execPath, ...before] = [...(options.through ?? []), process.execPath];
  const seen = options.inside ?? home;
  const seenConfig = path.join(seen, 'machine.json');
  const child = spawn(command, [...before, ...program, '-config', seenConfig, ...(options.args ?? [])], {
    env: { ...process.env, SVC_HOME: path.join(seen, 'home'), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Not 'exit': its last output may still be on its way then.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errors = '';
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const opened = new Promise<{ url: string; pageUrl: string }>((resolve, reject) => {
    let url = '';
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      url = /^serving on (\S+)$/.exec(line)?.[1] ?? url;
      const pageUrl = /^open (\S+)$/.exec(line)?.[1];
      if (pageUrl !== undefined) resolve({ url, pageUrl });
    });
    child.once('exit', (code) => reject(new Error(`the server exited with ${code} before it served:\n${errors}`)));
  });
  const halt = (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return closed;
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const code = await halt(signal);
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
    return code;
  };
  let addresses: { readonly url: string; readonly pageUrl: string };
  try {
    addresses = await opened;
    await until('the machine is ready', () => isReady(addresses.url), options.readyWithinMs ?? 20_000);
  } catch (thrown) {
    // Nothing else would end it.
    await end('SIGKILL');
    const { message } = thrown as Error;
    throw new Error(message.includes(errors) ? message : `${message}; it logged:\n${errors}`, { cause: thrown });
  }
  return {
    process: child,
    ...addresses,
    token: /token=([^&]+)/.exec(addresses.pageUrl)?.[1] ?? '',
    port: Number(new URL(addresses.url).port),
    home,
    configPath,
    stdout: () => printed,
    stderr: () => errors,
    writeConfig: (text) => writeFile(configPath, text),
    stop: () => end('SIGTERM'),
    kill: end,
    crash: async () => void (await halt('SIGKILL')),
  };
}
