import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../rpc/port/free-port.ts';

/** Set by `npm run test:s3`: versitygw, or moto's server. */
export const s3Program = process.env['ARMATURE_TEST_S3_PROGRAM'];

const BUCKET = 'armature-test';
const START_LIMIT_MS = 30_000;
const keys = { AWS_ACCESS_KEY_ID: 'armature-test', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };

/** An S3-compatible store on this computer, with one bucket in it. */
export class S3Server {
  /** Environment variables for its clients. */
  readonly environment: Readonly<Record<string, string>> = keys;
  /** For `--files`. */
  readonly address: string;
  /** The folder where versitygw keeps the objects, as files with their names. */
  readonly bucket: string;
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.bucket = path.join(folder, BUCKET);
    this.#port = port;
    this.address = `s3://${BUCKET}/hub?endpoint=http://127.0.0.1:${port}`;
  }

  /** @param folder for its data; the caller removes it */
  static async start(folder: string): Promise<S3Server> {
    const server = new S3Server(folder, await freePort());
    await server.resume();
    return server;
  }

  /** Starts it again at the same address; versitygw still has its data. */
  async resume(): Promise<void> {
    if (s3Program === undefined) throw new Error('no program: run this by "npm run test:s3"');
    await mkdir(this.bucket, { recursive: true });
    const [host, port] = ['127.0.0.1', String(this.#port)];
    const isMoto = path.basename(s3Program).startsWith('moto');
    const args = isMoto ? ['-H', host, '-p', port] : ['--port', `${host}:${port}`, 'posix', this.#folder];
    const env = {
      ...process.env,
      ROOT_ACCESS_KEY: keys.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: keys.AWS_SECRET_ACCESS_KEY,
    };
    const child = spawn(s3Program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    let said = '';
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text));
    const end = performance.now() + START_LIMIT_MS;
    while (!(await answers(host, this.#port))) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`the store did not start:\n${said}`);
      await pause(50);
    }
    if (isMoto) await fetch(`http://${host}:${port}/${BUCKET}`, { method: 'PUT' });
  }

  /** Kills it at once, like a power failure. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
