import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { SendTracesRequest } from '../../../../proto/gen/core/robot/v1/robot.ts';
import { ResourceSpans } from '../../../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';
import { boundedPrint } from '../bounded-print.ts';
import { SpanFiles } from './span-files.ts';
import { SpanUpload } from './span-upload.ts';
import { FailureLoggingExporter } from './failure-logging-exporter.ts';
import { Tracing } from './tracing.ts';

async function someSpans(...names: readonly string[]): Promise<ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const processors = [new SimpleSpanProcessor({ exporter })];
  const tracing = new Tracing({ clock: new ManualClock(), machine: 'bench', version: '1', processors });
  for (const name of names) await tracing.traced(name, {}, () => Promise.resolve());
  return exporter.getFinishedSpans();
}

function send(exporter: SpanExporter, spans: ReadableSpan[]): Promise<ExportResult> {
  return new Promise((resolve) => exporter.export(spans, resolve));
}

describe('files of spans', () => {
  let folder: string;

  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'armature-spans-')), 'trace');
  });

  afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

  async function namesIn(file: string): Promise<string[]> {
    const reader = new BinaryReader(await readFile(path.join(folder, file)));
    const names: string[] = [];
    while (reader.pos < reader.len) {
      const { scopeSpans } = ResourceSpans.decode(reader.bytes());
      names.push(...scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)));
    }
    return names;
  }

  it('are rows of messages, for their owner only', async () => {
    const files = new SpanFiles(folder);
    expect((await send(files, await someSpans('a', 'b'))).code).toBe(ExportResultCode.SUCCESS);
    await send(files, await someSpans('c'));
    expect(await namesIn('traces')).toEqual(['a', 'b', 'c']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(folder, 'traces'))).mode & 0o777).toBe(0o600);
  });

  it('are so many, and no larger', async () => {
    const files = new SpanFiles(folder, 1);
    for (const name of ['1', '2', '3', '4', '5', '6']) await send(files, await someSpans(name));
    expect((await readdir(folder)).sort()).toEqual(['traces', 'traces.1', 'traces.2', 'traces.3']);
    expect(await namesIn('traces')).toEqual(['6']);
    expect(await namesIn('traces.3')).toEqual(['3']);
  });

  it('that cannot be written are a failure, with the reason', async () => {
    const files = new SpanFiles(path.join('/dev/null', 'trace'));
    const { code, error } = await send(files, await someSpans('a'));
    expect([code, error?.message]).toEqual([ExportResultCode.FAILED, expect.stringContaining('/dev/null')]);
  });
});

describe('a collector over HTTP', () => {
  it('gets spans, and what it refuses is a failure', async () => {
    const received: { readonly path: string | undefined; readonly body: Buffer }[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ path: request.url, body: Buffer.concat(chunks) });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/v1/traces`;
    const connect = () => Promise.reject(new Error('no gRPC'));
    const upload = await SpanUpload.open({ protocol: 'http', url }, { clock: systemClock, connect, limitMs: 2_000 });
    expect((await send(upload, await someSpans('a'))).code).toBe(ExportResultCode.SUCCESS);
    // The same message as SendTraces takes, on purpose.
    const { resourceSpans } = SendTracesRequest.decode(received[0]?.body ?? Buffer.alloc(0));
    expect(received[0]?.path).toBe('/v1/traces');
    expect(resourceSpans[0]?.scopeSpans[0]?.spans.map(({ name }) => name)).toEqual(['a']);
    status = 400;
    const refused = await send(upload, await someSpans('b'));
    expect(refused.error?.message).toBe('it answered 400 Bad Request');
    expect(received).toHaveLength(2);
    await new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
    const away = await send(upload, await someSpans('c'));
    expect(away.error?.message).toContain('ECONNREFUSED');
    await upload.shutdown();
  });
});

describe('what is told', () => {
  it('is that spans do not arrive, once, and that they do again', async () => {
    const lines: string[] = [];
    const log = (message: string): void => void lines.push(message);
    let code = ExportResultCode.FAILED;
    const exporter: SpanExporter = {
      export: (_, settle) =>
        settle({ code, ...(code === ExportResultCode.FAILED ? { error: new Error('gone.') } : {}) }),
      shutdown: () => Promise.resolve(),
    };
    const told = new FailureLoggingExporter(exporter, 'the collector c', { ...silentLogger, warn: log, info: log });
    for (let turn = 0; turn < 100; turn++) await send(told, await someSpans('a'));
    code = ExportResultCode.SUCCESS;
    for (let turn = 0; turn < 3; turn++) await send(told, await someSpans('a'));
    expect(lines).toEqual([
      'Spans do not arrive at the collector c: gone. They are dropped until they do; see "tracing" in the configuration.',
      'Spans arrive at the collector c again; 100 were lost.',
    ]);
  });

  it('is dropped where nobody reads the console', () => {
    const written: string[] = [];
    const stream = { writableLength: 0, write: (text: string) => written.push(text) > 0 };
    const print = boundedPrint(stream);
    print('a\n');
    stream.writableLength = 2 ** 21;
    print('b\n');
    print('c\n');
    stream.writableLength = 0;
    print('d\n');
    expect(written).toEqual(['a\n', 'telemetry: 2 outputs were dropped, because nobody read them.\n', 'd\n']);
  });
});
