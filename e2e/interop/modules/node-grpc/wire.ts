import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  Metadata,
  status,
  type handleUnaryCall,
  type MethodDefinition,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';

const { Reader } = protobuf;
const { FileDescriptorProto } = descriptor;
const proto = path.join(import.meta.dirname, 'proto');
const files = globSync('**/*.proto', { cwd: proto });
const loaded = loadSync(files, { includeDirs: [proto], keepCase: true, longs: Number, defaults: true, oneofs: true });

export function serviceOf(name: string): ServiceDefinition {
  return loaded[name] as unknown as ServiceDefinition;
}

export function methodOf<Q, A>(service: string, name: string): MethodDefinition<Q, A> {
  return serviceOf(service)[name] as MethodDefinition<Q, A>;
}

/**
 * Files of a service and all its imports, as reflection returns them. The program that starts the module compiles them,
 * because proto-loader would leave out the options of methods.
 */
export function filesOf(service: string): readonly Uint8Array[] {
  const raw = splitSet(readFileSync(process.env['WIRE'] ?? ''));
  const all = new Map(raw.map((bytes) => [FileDescriptorProto.decode(bytes) as unknown as FileSummary, bytes]));
  const found = new Set<FileSummary>();
  const add = (file: FileSummary | undefined): void => {
    if (file === undefined || found.has(file)) return;
    found.add(file);
    for (const name of file.dependency ?? []) add([...all.keys()].find((one) => one.name === name));
  };
  add([...all.keys()].find((file) => file.service?.some(({ name }) => `${file.package}.${name}` === service)));
  return [...found].flatMap((file) => all.get(file) ?? []);
}

interface FileSummary {
  readonly name: string;
  readonly package: string;
  readonly dependency?: readonly string[];
  readonly service?: readonly { readonly name: string }[];
}

/** The files of a FileDescriptorSet, with their original bytes: its only field is 1, repeated. */
function splitSet(set: Uint8Array): Uint8Array[] {
  const reader = Reader.create(set);
  const files: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    reader.uint32();
    files.push(Uint8Array.from(reader.bytes()));
  }
  return files;
}

/** An error with its gRPC code. */
export class Refusal extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers unary calls with a function; an error that it throws becomes the status. */
export function unary<Q, A>(
  handle: (request: Q, call: ServerUnaryCall<Q, A>) => A | Promise<A>,
): handleUnaryCall<Q, A> {
  return (call, done) => {
    const answer = async (): Promise<A> => handle(call.request, call);
    answer().then(
      (value) => done(null, value, call.metadata.get('x-trailer').length > 0 ? trailersOf(call.metadata) : undefined),
      (thrown: unknown) =>
        done({
          code: thrown instanceof Refusal ? thrown.code : status.UNKNOWN,
          details: thrown instanceof Error ? thrown.message : String(thrown),
          metadata: trailersOf(call.metadata),
        }),
    );
  };
}

function trailersOf(metadata: Metadata): Metadata {
  const trailers = new Metadata();
  for (const value of metadata.get('x-trailer')) trailers.add('x-trailer', value);
  return trailers;
}

/** `google.protobuf.Value` as proto-loader returns it. */
interface Value {
  readonly kind?: string;
  readonly nullValue?: number;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values: readonly Value[] };
}

/** `google.protobuf.Struct` as proto-loader returns it. */
export interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

export type Fields = Readonly<Record<string, unknown>>;

export function fromStruct(struct: Struct | null | undefined): Fields {
  return Object.fromEntries(Object.entries(struct?.fields ?? {}).map(([key, value]) => [key, fromValue(value)]));
}

function fromValue(value: Value): unknown {
  switch (value.kind) {
    case 'structValue':
      return fromStruct(value.structValue);
    case 'listValue':
      return value.listValue?.values.map(fromValue);
    case 'nullValue':
    case undefined:
      return null;
    default:
      return value[value.kind as 'numberValue'];
  }
}

export function toStruct(fields: Fields): Struct {
  return { fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, toValue(value)])) };
}

export function toValue(value: unknown): Value {
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
  if (typeof value === 'object' && value !== null) return { structValue: toStruct(value as Fields) };
  return { nullValue: 0 };
}
