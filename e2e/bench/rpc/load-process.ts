import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endProcess, LOAD_CPU, spawnNode } from '../pinned-process.ts';
import { runLoad, type LoadOptions, type LoadResult } from './load-generator.ts';
import { runWebRtcLoad } from './webrtc-load.ts';

type Answer = { readonly result: LoadResult } | { readonly error: string };

/** A load generator in a separate process, on the processor of the load. */
export class LoadProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = spawnNode([fileURLToPath(import.meta.url)], { cpu: LOAD_CPU, environment: {}, hasChannel: true });
  }

  /** Throws when the load cannot be started or any call fails. */
  async run(options: LoadOptions): Promise<LoadResult> {
    const answered = once(this.#child, 'message');
    this.#child.send(options);
    const [answer] = (await answered) as [Answer];
    if ('error' in answer) throw new Error(answer.error);
    const { calls, failures } = answer.result;
    if (failures > 0) throw new Error(`${failures} of ${calls} calls of ${options.path} failed`);
    return answer.result;
  }

  end(): Promise<void> {
    return endProcess(this.#child);
  }
}

if (import.meta.main && process.send !== undefined) {
  const send = (answer: Answer): void => void process.send?.(answer);
  process.on('message', (options: LoadOptions) => {
    (options.carrier === 'webrtc' ? runWebRtcLoad(options) : runLoad(options)).then(
      (result) => send({ result }),
      (thrown: unknown) => send({ error: String(thrown) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
