import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { installModuleProgram, type ModuleProgram } from '../harness/module-program.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

describe('an author at work on a module of a running machine', () => {
  let program: ModuleProgram;
  let server: ServerProcess;
  let client: GrpcClient;

  beforeEach(async () => {
    program = await installModuleProgram();
    await program.run(['create', 'acme:weather']);
    server = await startServer({ config: '{}' });
    client = new GrpcClient(server.url);
  });
  afterEach(async () => {
    client.close();
    await server.stop();
    await program.remove();
  });

  const celsius = async (): Promise<unknown> => {
    const request = { name: 'first', extra: undefined };
    return (await client.call(SensorServiceDefinition, 'getReadings', request)).readings['celsius'];
  };

  it('sees each save at work, is told what does not compile, and how to add the module at first', async () => {
    const stop = new AbortController();
    let told = '';
    const write = (text: string): void => void (told += text);
    const watching = program.run(['watch', '--machine', server.url], 'weather', {
      signal: stop.signal,
      // A machine of the same user: its socket proves that.
      env: { ...process.env, SVC_HOME: path.join(server.home, 'home') },
      stdout: write,
      stderr: write,
    });
    await until(
      'the author is told how to add it',
      () => told.includes('Add it to "modules" in the configuration'),
      20_000,
    );
    const module = JSON.parse(/\{[^]*\}/.exec(told)?.[0] ?? '{}') as object;
    const component = {
      name: 'first',
      api: 'core:component:sensor',
      model: 'acme:weather:sensor',
      attributes: { offset: 1 },
    };
    await server.writeConfig(JSON.stringify({ modules: [module], components: [component] }));
    await until('the module is ready', () => told.includes('acme_weather is ready: acme:weather:sensor'), 20_000);
    await until('it is read', async () => (await celsius().catch(() => undefined)) === 22, 20_000);

    const file = path.join(program.folder, 'weather/src/sensor.ts');
    const source = await readFile(file, 'utf8');
    await writeFile(file, source.replace('celsius: 21', 'celsius: 31'));
    await until('the new reading', async () => (await celsius().catch(() => undefined)) === 32, 20_000);

    await writeFile(file, source.replace('celsius: 21', 'celsius: )'));
    await until('the mistake is told', () => told.includes('The module does not compile.'), 20_000);
    expect(await celsius()).toBe(32);
    await writeFile(file, source.replace('celsius: 21', 'celsius: 41'));
    await until('the mended reading', async () => (await celsius().catch(() => undefined)) === 42, 20_000);

    stop.abort();
    expect(await watching).toMatchObject({ code: 0 });
  }, 90_000);
});
