import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { armature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

/** The used part of the Chrome DevTools Protocol. */
interface CallFrame {
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };
}

interface Paused {
  readonly callFrames: readonly CallFrame[];
  readonly asyncStackTrace?: StackTrace;
}

interface StackTrace {
  readonly callFrames: readonly { readonly url: string; readonly lineNumber: number; readonly columnNumber: number }[];
  readonly parent?: StackTrace;
}

const MODEL = 'models/board-fake/build.ts';
const LOOP = 'machine/apply/config-applier.ts';

/** A debugger: pauses a program at each exception, and returns its stack. */
class Debugger {
  readonly #socket: WebSocket;
  readonly #scripts = new Map<string, string>();
  readonly #maps = new Map<string, SourceMap>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Debugger> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Debugger(socket);
  }

  /** Our files on the stack of the first exception that `isWanted`, innermost first. */
  stackOf(isWanted: (files: readonly string[]) => boolean): Promise<readonly string[]> {
    return new Promise((resolve) => {
      this.#socket.on('message', (data: Buffer) => {
        const { method, params } = JSON.parse(data.toString()) as { method?: string; params: unknown };
        if (method === 'Debugger.scriptParsed') {
          const { scriptId, url } = params as { scriptId: string; url: string };
          this.#scripts.set(scriptId, url);
        }
        if (method !== 'Debugger.paused') return;
        const files = this.#filesOf(params as Paused);
        this.send('Debugger.resume');
        if (isWanted(files)) resolve(files);
      });
      this.send('Debugger.enable');
      this.send('Debugger.setAsyncCallStackDepth', { maxDepth: 32 });
      this.send('Debugger.setPauseOnExceptions', { state: 'all' });
    });
  }

  send(method: string, params: object = {}): void {
    this.#socket.send(JSON.stringify({ id: ++this.#lastId, method, params }));
  }

  close(): void {
    this.#socket.terminate();
  }

  #filesOf({ callFrames, asyncStackTrace }: Paused): readonly string[] {
    const places = callFrames.map(({ location }) => ({ ...location, url: this.#scripts.get(location.scriptId) ?? '' }));
    let stack = asyncStackTrace;
    const all: { url: string; lineNumber: number; columnNumber: number }[] = [...places];
    for (; stack !== undefined; stack = stack.parent) all.push(...stack.callFrames);
    return all.flatMap(({ url, lineNumber, columnNumber }) => {
      if (!url.includes('/dist/main/')) return [];
      const entry = this.#mapOf(url).findEntry(lineNumber, columnNumber);
      return 'originalSource' in entry && entry.originalSource.includes('src-main/') ? [entry.originalSource] : [];
    });
  }

  #mapOf(url: string): SourceMap {
    const known =
      this.#maps.get(url) ??
      new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')) as SourceMapPayload);
    this.#maps.set(url, known);
    return known;
  }
}

let server: ServerProcess;
let inspector: Debugger | undefined;

afterEach(async () => {
  inspector?.close();
  await server.kill('SIGKILL');
});

// A developer who steps from a text to a constructor, or reads a stack in a profile, has to see the path at a glance.
it('a debugger shows eight frames of ours from the text of a file to the constructor of a resource', async () => {
  server = await startServer({ config: '{}', program: ['--inspect=127.0.0.1:0', ...armature, 'server'] });
  const address = (): string | undefined => /ws:\/\/\S+/.exec(server.stderr())?.[0];
  await until('the debugger is there', () => address() !== undefined, 10_000);
  inspector = await Debugger.open(address() ?? '');
  const found = inspector.stackOf((files) => files[0]?.endsWith(MODEL) === true);
  const board = { name: 'b', api: 'core:component:board', model: 'fake', attributes: { fail_new: true } };
  await server.writeConfig(JSON.stringify({ components: [board] }));
  const files = await found;
  // Below the loop is the start of the program.
  const loop = files.findIndex((file, index) => file.endsWith(LOOP) && files[index - 1]?.endsWith(LOOP) === true);
  expect(loop, files.join('\n')).toBeGreaterThan(0);
  expect(files.slice(0, loop + 1).map((file) => file.split('src-main/')[1])).toEqual([
    'machine/models/board-fake/build.ts',
    'machine/graph/building/build.ts',
    'machine/graph/building/reconciler.ts',
    'machine/graph/building/reconciler.ts',
    'machine/graph/resource-graph.ts',
    'machine/plan-execution.ts',
    'machine/apply/config-applier.ts',
    'machine/apply/config-applier.ts',
  ]);
});
