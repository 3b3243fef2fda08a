import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import type { KeptRequest } from './receiver-process.ts';

/** A receiver of webhooks in a separate process that can be killed; its received requests survive. */
export class KeptReceiver {
  readonly #file: string;
  #process: ChildProcess | undefined;
  #port = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  static async start(): Promise<KeptReceiver> {
    const receiver = new KeptReceiver(path.join(await temporaryFolder(), 'requests'));
    onTestFinished(() => receiver.crash());
    await receiver.restart();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** All received requests, in order of arrival. A line that a kill has cut off does not count. */
  get requests(): KeptRequest[] {
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as KeptRequest];
        } catch {
          return [];
        }
      });
  }

  /** Ends it with SIGKILL. */
  async crash(): Promise<void> {
    const ending = this.#process;
    this.#process = undefined;
    if (ending === undefined) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  }

  /** Restarts it on the same port. */
  async restart(): Promise<void> {
    const program = path.join(import.meta.dirname, 'receiver-process.ts');
    const child = spawn(process.execPath, [program, String(this.#port), this.#file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.#port = Number(line.split(' ').at(-1));
  }
}
