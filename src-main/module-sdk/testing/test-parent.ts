import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ComponentConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import type { LogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import { ModuleServiceDefinition, type ReadyResponse } from '../../../proto/gen/core/module/v1/module.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import type { AnyApi } from '../../apis/all.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';
import { sleep, systemClock } from '../../base/clock.ts';
import { aliasPath } from '../../base/dialect.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { openPeer } from '../../rpc/peer/http2-peer.ts';
import { callPeer, streamFromPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import type { Peer } from '../../rpc/peer/peer.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../rpc/service.ts';
import { ModuleServer } from '../server/module-server.ts';

const codes = { unreachable: 'resource.not_ready', refused: 'access.denied' } as const;
const CALL_MS = 10_000;
const START_MS = 20_000;
const RETRY_MS = 50;

export interface TestParentOptions {
  /** The file for Node to run: a source file, or the result of a build. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Resources that the module may call. */
  readonly resources?: readonly { readonly api: AnyApi; readonly resource: Resource }[];
}

/** A minimal machine: starts one module as a machine does, and serves the calls of modules. */
export class TestParent {
  readonly folder: string;
  readonly process: ChildProcess;
  /** Entries that the module sent with RobotService/Log. */
  readonly logs: LogEntry[] = [];
  /** Lines that the module printed. */
  readonly printed: string[] = [];
  /** Names of the modules that called. */
  readonly callers = new Set<string>();
  /** Settles with the exit code or the signal when the process has ended and its output has been read. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly #server: ModuleServer;
  readonly #socket: string;
  readonly #address: string;
  #peer: Peer | undefined;
  readonly #news = new Emitter();

  private constructor(folder: string, options: TestParentOptions, onServer: (parent: TestParent) => ModuleServer) {
    this.folder = folder;
    this.#address = path.join(folder, 'parent.sock');
    this.#socket = path.join(folder, 'module.sock');
    this.#server = onServer(this);
    this.process = spawn(process.execPath, [options.program, this.#socket, ...(options.args ?? [])], {
      cwd: folder,
      env: { ...process.env, SVC_MODULE_NAME: 'acme_test', ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.printed.push(line);
        this.#news.emit();
      });
    }
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        resolve(signal ?? code);
        this.#news.emit();
      });
    });
  }

  /** Starts the module and waits until it is ready. */
  static async start(options: TestParentOptions): Promise<TestParent> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-module-'));
    const parent = new TestParent(folder, options, (self) => serve(self, options));
    await parent.#server.listen({ kind: 'unix', path: parent.#address });
    try {
      await parent.connect();
      await parent.ready();
    } catch (thrown) {
      await parent.close();
      throw new Error(`the module did not get ready: ${parent.printed.join('\n')}`, { cause: thrown });
    }
    return parent;
  }

  get start(): StartCall {
    const peer = this.#peer;
    if (peer === undefined) throw new Error('not connected');
    return (method, metadata, timeoutMs, responder) => peer.start(aliasPath(method), metadata, timeoutMs, responder);
  }

  async connect(): Promise<void> {
    const limit = Date.now() + START_MS;
    for (;;) {
      try {
        this.#peer = await openPeer(
          { kind: 'unix', path: this.#socket },
          { clock: systemClock, maxMessageBytes: MAX_MESSAGE_BYTES },
        );
        return;
      } catch (thrown) {
        if (Date.now() > limit || this.process.exitCode !== null) throw thrown;
        await sleep(systemClock, RETRY_MS);
      }
    }
  }

  ready(): Promise<ReadyResponse> {
    const address = { parentAddress: this.#address, rawParentAddress: this.#address, webrtcOffer: '' };
    return this.call(ModuleServiceDefinition, 'ready', address);
  }

  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return callPeer(this.start, service, method, request, { timeoutMs: CALL_MS, codes, metadata });
  }

  stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    return streamFromPeer(this.start, service, method, request, { timeoutMs: undefined, codes });
  }

  add(config: ComponentConfig, dependencies: string[] = []): Promise<unknown> {
    return this.call(ModuleServiceDefinition, 'addResource', { config, dependencies });
  }

  reconfigure(config: ComponentConfig, dependencies: string[] = []): Promise<unknown> {
    return this.call(ModuleServiceDefinition, 'reconfigureResource', { config, dependencies });
  }

  remove(name: string): Promise<unknown> {
    return this.call(ModuleServiceDefinition, 'removeResource', { name });
  }

  /** Settles when the condition holds; checked each time something is heard from the module. */
  async until(what: string, holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => {
        unsubscribe();
        const seen = [...this.logs.map(({ message }) => message), ...this.printed].join('\n');
        reject(new Error(`${what}: not within ${CALL_MS} ms; the module said\n${seen}`));
      }, CALL_MS);
      const unsubscribe = this.#news.on(() => {
        if (!holds()) return;
        clearTimeout(limit);
        unsubscribe();
        resolve();
      });
    });
  }

  tell(entry: LogEntry): void {
    this.logs.push(entry);
    this.#news.emit();
  }

  /** Ends the machine as if it had been killed: it no longer listens, and its connections are cut. */
  async vanish(): Promise<void> {
    this.#peer?.close('the test ends it');
    await this.#server.close(0);
    await rm(this.#address, { force: true });
  }

  async close(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGKILL');
    await this.ended;
    await this.vanish();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A configuration as machines send it, in the spelling of the public ecosystem. */
export function componentConfig(
  api: string,
  name: string,
  model: string,
  attributes: JsonObject = {},
): ComponentConfig {
  const [namespace = '', , type = ''] = api.split(':');
  return {
    name,
    namespace,
    type,
    api: api.replace(/^core:/, 'rdk:'),
    model,
    frame: undefined,
    dependsOn: [],
    serviceConfigs: [],
    attributes,
    logConfiguration: undefined,
  };
}

function serve(parent: TestParent, { resources = [] }: TestParentOptions): ModuleServer {
  const router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addInterceptor({
    name: 'callers',
    start: (call) => void parent.callers.add(String(call.metadata['modname'])),
  });
  router.addService(RobotServiceDefinition, {
    resourceNames: () => ({ resources: [] }),
    log: ({ logs }) => {
      for (const entry of logs) parent.tell(entry);
      return {};
    },
  });
  for (const api of new Set(resources.map((one) => one.api))) {
    router.addResourceService(api.service, api.handlers, (name) => {
      const found = resources.find((one) => one.api === api && one.resource.name === name);
      if (found !== undefined) return { kind: 'local', resource: found.resource };
      throw new ArmatureError('resource.not_found', `There is no ${api.api}/${name}.`);
    });
  }
  return new ModuleServer({ router, clock: systemClock, logger: silentLogger });
}
