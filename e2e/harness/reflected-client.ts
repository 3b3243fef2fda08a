import {
  create,
  createFileRegistry,
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
  type Message,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import {
  Client,
  credentials,
  Metadata,
  type CallOptions,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientWritableStream,
} from '@grpc/grpc-js';
import {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../proto/gen/grpc/reflection/v1/reflection.ts';

export type Values = Readonly<Record<string, unknown>>;
/** An answer with its fields by their names in camel case; int64 values are bigints. */
export type Answer = Message & Record<string, unknown>;

export interface Reply {
  readonly answer: Answer;
  readonly headers: Metadata;
  readonly trailers: Metadata;
}

/** A client that knows only the name of a service and gets everything else from the server by reflection. */
export class ReflectedClient {
  readonly #client: Client;
  readonly #service: DescService;

  private constructor(client: Client, service: DescService) {
    this.#client = client;
    this.#service = service;
  }

  /** @param target `http://localhost:PORT` */
  static async of(target: string, service: string): Promise<ReflectedClient> {
    const client = new Client(target.replace(/^https?:\/\//, ''), credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    try {
      const found = registryOf(await filesOf(client, service)).getService(service);
      if (found === undefined) throw new Error(`the files of ${service} do not define it`);
      return new ReflectedClient(client, found);
    } catch (thrown) {
      client.close();
      throw thrown;
    }
  }

  /** Makes a unary call. Rejects with the ServiceError of grpc-js. */
  unary(name: string, values: Values, metadata = new Metadata(), options: CallOptions = {}): Promise<Reply> {
    const method = this.#method(name);
    return new Promise((resolve, reject) => {
      let headers = new Metadata();
      let trailers = new Metadata();
      let answer: Answer | undefined;
      const call = this.#client.makeUnaryRequest(
        this.#path(method),
        encoderOf(method.input),
        decoderOf(method.output),
        values,
        metadata,
        options,
        (error, received) => {
          if (error !== null) reject(error);
          answer = received;
        },
      );
      call.on('metadata', (received) => (headers = received));
      call.on('status', (status) => {
        trailers = status.metadata;
        if (answer !== undefined) resolve({ answer, headers, trailers });
      });
    });
  }

  /** Opens a stream of answers; the caller cancels it. */
  serverStream(name: string, values: Values, options: CallOptions = {}): ClientReadableStream<Answer> {
    const { input, output, ...method } = this.#method(name);
    const path = this.#path(method);
    return this.#client.makeServerStreamRequest(path, encoderOf(input), decoderOf(output), values, options);
  }

  /** Sends all these requests and returns the one answer. */
  clientStream(name: string, all: readonly Values[]): Promise<Answer> {
    const method = this.#method(name);
    return new Promise((resolve, reject) => {
      const stream: ClientWritableStream<Values> = this.#client.makeClientStreamRequest(
        this.#path(method),
        encoderOf(method.input),
        decoderOf(method.output),
        (error, answer) =>
          error === null && answer !== undefined ? resolve(answer) : reject(error ?? new Error('nothing')),
      );
      for (const values of all) stream.write(values);
      stream.end();
    });
  }

  bidi(name: string): ClientDuplexStream<Values, Answer> {
    const { input, output, ...method } = this.#method(name);
    return this.#client.makeBidiStreamRequest(this.#path(method), encoderOf(input), decoderOf(output));
  }

  close(): void {
    this.#client.close();
  }

  #method(name: string): DescMethod {
    const method = this.#service.methods.find((one) => one.name === name);
    if (method === undefined) throw new Error(`${this.#service.typeName} has no ${name}`);
    return method;
  }

  #path({ name }: Pick<DescMethod, 'name'>): string {
    return `/${this.#service.typeName}/${name}`;
  }
}

function encoderOf(message: DescMessage): (values: Values) => Buffer {
  return (values) => Buffer.from(toBinary(message, create(message, values)));
}

function decoderOf(message: DescMessage): (bytes: Buffer) => Answer {
  return (bytes) => fromBinary(message, bytes);
}

/** Sorts files so that imports come first, as a registry needs them; a server may send them in any order. */
function importsFirst(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const sorted = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto | undefined): void => {
    if (file === undefined || sorted.has(file)) return;
    for (const name of file.dependency) add(files.find((one) => one.name === name));
    sorted.add(file);
  };
  files.forEach(add);
  return [...sorted];
}

/** The file that defines a symbol, and all files that it imports. */
async function filesOf(client: Client, symbol: string, metadata?: Metadata): Promise<FileDescriptorProto[]> {
  const messageResponse = await reflect(client, { $case: 'fileContainingSymbol', value: symbol }, metadata);
  if (messageResponse?.$case !== 'fileDescriptorResponse') {
    throw new Error(`the server does not know ${symbol}: ${JSON.stringify(messageResponse)}`);
  }
  return messageResponse.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

function registryOf(files: readonly FileDescriptorProto[]): FileRegistry {
  return createFileRegistry(create(FileDescriptorSetSchema, { file: importsFirst(files) }));
}

/** Every service that a server lists, under each of its names, with its methods. */
export async function servicesOf(
  client: Client,
  metadata?: Metadata,
): Promise<readonly { readonly service: string; readonly methods: readonly DescMethod[] }[]> {
  const answer = await reflect(client, { $case: 'listServices', value: '' }, metadata);
  if (answer?.$case !== 'listServicesResponse') throw new Error(`no list of services: ${JSON.stringify(answer)}`);
  const found = [];
  for (const { name } of answer.value.service) {
    const methods = registryOf(await filesOf(client, name, metadata)).getService(name)?.methods ?? [];
    found.push({ service: name, methods });
  }
  return found;
}

/** {@link servicesOf} a server without TLS, with the names of the methods. @param target `http://localhost:PORT` */
export async function methodsServed(
  target: string,
): Promise<readonly { readonly service: string; readonly methods: readonly string[] }[]> {
  const client = new Client(target.replace(/^https?:\/\//, ''), credentials.createInsecure());
  try {
    const services = await servicesOf(client);
    return services.map(({ service, methods }) => ({ service, methods: methods.map(({ name }) => name) }));
  } finally {
    client.close();
  }
}

/** Sends one reflection request to a server. */
async function reflect(
  client: Client,
  messageRequest: ServerReflectionRequest['messageRequest'],
  metadata = new Metadata(),
): Promise<ServerReflectionResponse['messageResponse']> {
  const stream = client.makeBidiStreamRequest(
    `/${ServerReflectionDefinition.fullName}/${ServerReflectionDefinition.methods.serverReflectionInfo.name}`,
    (message: ServerReflectionRequest) => Buffer.from(ServerReflectionRequest.encode(message).finish()),
    (bytes: Buffer) => ServerReflectionResponse.decode(bytes),
    metadata,
  );
  stream.write({ host: '', messageRequest });
  const { messageResponse } = await new Promise<ServerReflectionResponse>((resolve, reject) => {
    stream.on('data', resolve).on('error', reject);
  });
  stream.end();
  return messageResponse;
}
