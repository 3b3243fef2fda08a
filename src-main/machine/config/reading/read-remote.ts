import { isDeepStrictEqual } from 'node:util';
import {
  remoteAuthSchema,
  remoteCredentialsSchema,
  remoteSchema,
} from '../../../../proto/config/schema/document-schema.ts';
import { RESOURCE_NAME } from '../../../../proto/config/names.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import { parseServerAddress, type ServerAddress } from '../../../base/server-address.ts';
import type { RemoteConfig } from '../machine-config.ts';
import { hasError, type ProblemSink } from '../problem-list.ts';
import { ObjectReader } from './object-reader.ts';
import { entryLabel, readDuration, type ParseContext } from './parse-context.ts';

/** An entry of `remotes` while the document is being read. */
export interface RemoteEntry {
  readonly config: RemoteConfig;
  readonly sink: ProblemSink;
}

const CHECK_MS = 10_000;
const RECONNECT_MS = 1_000;
/** A shorter interval would keep the other machine busy with answering. */
const MIN_MS = 100;
const nowhere: ServerAddress = { text: '', host: '', port: 0, isEncrypted: false };

/** Reads one remote. Undefined if it has no usable name. */
export function readRemote(
  node: JsonNode,
  pointer: string,
  index: number,
  context: ParseContext,
): RemoteEntry | undefined {
  const problems: Problem[] = [];
  const sink = context.problems.scope(problems);
  const label = entryLabel('remote', node, index);
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry of "remotes" is an object in { } with name and address.`,
      found: node.value,
    });
    return undefined;
  }
  const reader = new ObjectReader(node, pointer, label, remoteSchema, sink, context.unsupported);
  const name = reader.text('name') ?? '';
  if (name === '') {
    reader.reportMissing('name', '"name" is missing; write what the machine is called here.');
  } else if (!RESOURCE_NAME.test(name)) {
    reader.report(
      'name',
      'error',
      'config.bad_name',
      `"${name.slice(0, 80)}" cannot be a name; it has up to 60 letters, digits, "_" and "-", and begins with a letter or digit.`,
    );
  }
  const prefix = reader.text('prefix') ?? '';
  if (prefix !== '' && !RESOURCE_NAME.test(prefix)) {
    reader.report(
      'prefix',
      'error',
      'config.bad_name',
      `"${prefix.slice(0, 80)}" cannot begin a name; it has letters, digits, "_" and "-", and begins with a letter or digit.`,
    );
  }
  const config: RemoteConfig = {
    name,
    address: readAddress(reader),
    prefix,
    credentials: readCredentials(reader, sink, context),
    checkMs: interval(reader, 'connection_check_interval', CHECK_MS),
    reconnectMs: interval(reader, 'reconnect_interval', RECONNECT_MS),
    isDisabled: reader.flag('disabled') ?? false,
    pointer,
    problems,
  };
  return RESOURCE_NAME.test(name) ? { config, sink } : undefined;
}

function readAddress(reader: ObjectReader): ServerAddress {
  const text = reader.text('address') ?? '';
  const isClear = reader.flag('insecure') ?? false;
  if (text === '') {
    reader.reportMissing('address', '"address" is missing; write HOST:PORT of the machine.');
    return nowhere;
  }
  const address = parseServerAddress(isClear && !/^https?:/i.test(text) ? `http://${text}` : text);
  if (address === undefined || (isClear && address.isEncrypted)) {
    const why = address === undefined ? 'is no address' : 'has TLS, and "insecure" wants none';
    const advice = 'write HOST:PORT, https://HOST:PORT, or http://HOST:PORT for a machine without TLS';
    reader.report('address', 'error', 'remote.bad_address', `"${text.slice(0, 80)}" ${why}; ${advice}.`);
    return nowhere;
  }
  return { ...address, text };
}

function readCredentials(reader: ObjectReader, sink: ProblemSink, context: ParseContext): RemoteConfig['credentials'] {
  const node = reader.object('auth');
  const secret = reader.text('secret') ?? '';
  if (node === undefined)
    return secret === '' ? undefined : { type: 'robot-location-secret', entity: '', payload: secret };
  const at = reader.pointerOf('auth');
  const auth = new ObjectReader(node, at, 'remote auth', remoteAuthSchema, sink, context.unsupported);
  const inner = auth.object('credentials');
  const given =
    inner &&
    new ObjectReader(
      inner,
      auth.pointerOf('credentials'),
      'remote auth.credentials',
      remoteCredentialsSchema,
      sink,
      context.unsupported,
    );
  const payload = given?.text('payload') ?? '';
  if (payload === '') {
    auth.report('credentials', 'error', 'config.missing_key', '"credentials" needs "payload", the key itself.', {
      missing: given?.has('payload') === true ? undefined : 'payload',
    });
    return undefined;
  }
  return { type: given?.text('type') || 'api-key', entity: auth.text('entity') ?? '', payload };
}

function interval(reader: ObjectReader, key: string, usual: number): number {
  const ms = readDuration(reader, key);
  // Other servers read 0 as the default.
  return ms === undefined || ms <= 0 ? usual : Math.max(MIN_MS, ms);
}

/** Whether two entries connect to the same machine in the same way, ignoring their places in the document. */
export function isSameRemote(one: RemoteConfig, other: RemoteConfig): boolean {
  const comparable = ({ pointer: _pointer, problems, ...rest }: RemoteConfig): unknown => ({
    ...rest,
    isWrong: hasError(problems),
  });
  return isDeepStrictEqual(comparable(one), comparable(other));
}
