import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';
import { benchConfig, runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
/** An address of this computer that is not loopback: the one that another computer connects to. */
const host = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/**
 * The unmodified public SDKs, connecting to the address of the machine: what each needs to accept the certificate of
 * the hub.
 */
describe.skipIf(host === undefined)('over TLS, with the certificate of the hub in the environment,', () => {
  let python = '';
  let whyNot: string | undefined;

  beforeAll(() => {
    ({ python, whyNot } = pythonWith(viamSdk));
  }, 240_000);

  interface Place {
    readonly server: ServerProcess;
    readonly authorityFile: string;
    /** Id and secret of a key of its hub. */
    readonly key: readonly [string, string];
  }

  async function start(): Promise<Place> {
    const config = JSON.parse(await readFile(benchConfig, 'utf8')) as { network: object };
    const text = JSON.stringify({ ...config, network: { bind_address: '0.0.0.0:0' } });
    const server = await startServer({ config: text });
    const environment = { SVC_HOME: path.join(server.home, 'home') };
    let authority = '';
    const hasAuthority = async (): Promise<boolean> =>
      (authority = (await runArmature(['hub', 'ca'], environment)).stdout) !== '';
    await until('the hub is there', hasAuthority, 15_000);
    const authorityFile = path.join(await temporaryFolder(), 'hub-ca.pem');
    await writeFile(authorityFile, authority);
    const { stdout } = await runArmature(['hub', 'key', 'create'], environment);
    const [, id = '', secret = ''] = /^key id (\S+)\nkey (\S+)$/m.exec(stdout) ?? [];
    return { server, authorityFile, key: [id, secret] };
  }

  it.for([
    ['Python', 'SSL_CERT_FILE', () => [python, 'drive_and_wait.py', host]],
    [
      'TypeScript',
      'NODE_EXTRA_CA_CERTS',
      () => [process.execPath, 'drive-by-key.ts', `${hostname().toLowerCase()}.local`],
    ],
  ] as const)(
    'the %s SDK drives it with a key, and not without that',
    async ([language, variable, program], { skip }) => {
      if (language === 'Python' && whyNot !== undefined) skip(whyNot);
      const { server, authorityFile, key } = await start();
      try {
        const [command = '', script = '', name = ''] = program();
        const attempt = (environment: Readonly<Record<string, string>>): Promise<{ stdout: string }> =>
          run(command, [path.join(import.meta.dirname, script), `${name}:${server.port}`, 'all', ...key, host ?? ''], {
            env: { ...process.env, ...environment },
            timeout: 25_000,
          });
        const { stdout } = await attempt({ [variable]: authorityFile });
        expect(JSON.parse(stdout)).toMatchObject({ powered: [true, 0.4] });
        await expect(attempt({})).rejects.toThrow(/certificate/i);
      } finally {
        await server.stop();
      }
    },
  );
});
