import { isIP } from 'node:net';
import path from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { parseS3Address } from '../../hub/blobs/s3-address.ts';
import type { BindAddress } from '../../rpc/port/bind.ts';
import { parseServerAddress } from '../../base/server-address.ts';
import { homeFolder } from '../home.ts';
import { parseBindAddress } from '../network.ts';
import type { SmtpAction } from './smtp-command.ts';

/** Where a hub keeps its data. */
export interface HubPlace {
  /** Folder of the hub: its lock, and its database where that is the embedded one. */
  readonly folder: string;
  /** The folder, or the address of a PostgreSQL database. */
  readonly address: string;
  /** The address of a bucket for files; undefined keeps them in the folder. */
  readonly filesAddress: string | undefined;
}

/** What a command line of `armature hub` asks for. */
export type HubCommand =
  | {
      readonly kind: 'serve';
      readonly place: HubPlace;
      readonly bind: BindAddress;
      /** Where the other hubs of the same data reach this one; undefined for a hub alone. */
      readonly cluster: string | undefined;
      /** Names by which clients reach it, besides the names and addresses of its computer. */
      readonly alternativeHosts: readonly string[];
      readonly isTlsOff: boolean;
      readonly allowsInsecureCreds: boolean;
      readonly allowedOrigins: readonly string[];
      readonly isDebug: boolean;
    }
  | {
      readonly kind: 'key-create';
      readonly place: HubPlace;
      readonly name: string;
      /** `organization_owner`, `robot_operator`, ... */
      readonly role: string;
      /** Id of what it is for; undefined for the only organization there is. */
      readonly resourceId: string | undefined;
    }
  | { readonly kind: 'key-list'; readonly place: HubPlace; readonly isJson: boolean }
  | { readonly kind: 'key-revoke'; readonly place: HubPlace; readonly id: string }
  | { readonly kind: 'key-rotate'; readonly place: HubPlace; readonly id: string }
  | { readonly kind: 'backup'; readonly place: HubPlace; readonly file: string }
  | { readonly kind: 'restore'; readonly place: HubPlace; readonly file: string }
  | { readonly kind: 'ca'; readonly place: HubPlace }
  | { readonly kind: 'smtp'; readonly place: HubPlace; readonly action: SmtpAction }
  | { readonly kind: 'help' }
  /** To be printed on standard error, with exit code 2. */
  | { readonly kind: 'usage-error'; readonly text: string };

export const hubUsage = `usage: armature hub [options]                  serve the hub of a fleet
       armature hub key create [--role ROLE] [--for ID] [--name NAME]
       armature hub key list [--json]
       armature hub key revoke ID
       armature hub key rotate ID
       armature hub backup FILE               copy the embedded database, also while the hub runs;
                                             packages of modules go to FILE.packages beside it
       armature hub restore FILE              put a backup in its place; what was there is kept beside it
       armature hub ca                        print the certificate that clients have to trust
       armature hub smtp [set --host HOST --sender ADDRESS | test ADDRESS | forget]
                                             by which server e-mail of triggers is sent; without a word, show it

  --data DIR               folder of the hub; the default is SVC_HOME/hub, else ~/.armature/hub
  --database URL           keep the data in PostgreSQL: postgres://user@host/name; everybody on this computer
                           can read arguments, so the password belongs into PGPASSWORD or ~/.pgpass;
                           files (packages of modules) stay in the folder of the hub
  --files URL              keep files in an S3-compatible store: s3://BUCKET/PREFIX?endpoint=http://HOST:PORT;
                           its keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
  --bind HOST:PORT         where to listen; the default is localhost:8090, port 0 takes a free one
  --cluster URL            one of several hubs with the same --database and --files: where the others reach this
                           one, https://HOST:PORT; each needs a folder of its own
  --tls-san HOST           a name or address that its certificate is to be good for beside those of this computer,
                           for example of a balancer; may be given several times
  --no-tls                 clear text; credentials are then taken from this computer only
  --allow-insecure-creds   with --no-tls: take them from other computers too
  --allowed-origin ORIGIN  let pages of this web site call the hub; may be given several times
  --debug                  log more
  --role ROLE              organization_owner (the default), organization_operator, location_owner,
                           location_operator, robot_owner or robot_operator
  --for ID                 the organization, location or machine that the role is for
  --host HOST, --port N    of the mail server; the port is 587 for starttls, 465 for tls, 25 for none
  --security WORD          starttls (the default), tls, or none, which sends everything in clear text
  --user NAME              who the hub is to the mail server; the password is taken from ARMATURE_SMTP_PASSWORD
  --sender ADDRESS         where mails come from
  --authority FILE         PEM of an authority that signed its certificate, beside those of the system
`;

const DEFAULT_BIND = 'localhost:8090';

const placeOptions = { data: { type: 'string' }, database: { type: 'string' }, files: { type: 'string' } } as const;
const help = { help: { type: 'boolean', short: 'h' } } as const;
const serveOptions = {
  ...placeOptions,
  ...help,
  bind: { type: 'string' },
  cluster: { type: 'string' },
  'tls-san': { type: 'string', multiple: true },
  'no-tls': { type: 'boolean' },
  'allow-insecure-creds': { type: 'boolean' },
  'allowed-origin': { type: 'string', multiple: true },
  debug: { type: 'boolean' },
} as const;
const createOptions = {
  ...placeOptions,
  ...help,
  name: { type: 'string' },
  role: { type: 'string' },
  for: { type: 'string' },
} as const;
const listOptions = { ...placeOptions, ...help, json: { type: 'boolean' } } as const;
const plainOptions = { ...placeOptions, ...help } as const;
const smtpOptions = {
  ...plainOptions,
  host: { type: 'string' },
  port: { type: 'string' },
  security: { type: 'string' },
  user: { type: 'string' },
  sender: { type: 'string' },
  authority: { type: 'string' },
} as const;
const smtpPorts = { starttls: 587, tls: 465, none: 25 } as const;
/** Everybody on a computer can read arguments, so the password is not one of them. */
const SMTP_PASSWORD = 'ARMATURE_SMTP_PASSWORD';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads what follows `armature hub`. Options may have one dash or two, as the server's. */
export function parseHubCommand(args: readonly string[], environment: Environment): HubCommand {
  const [first, second] = args.filter((argument) => !argument.startsWith('-'));
  // The words that choose a command come before its options.
  const isAtStart = (word: string, index: number): boolean => args[index] === word;
  try {
    if (first === 'key' && isAtStart('key', 0)) {
      const rest = args.slice(2);
      if (second === 'create' && isAtStart('create', 1)) return keyCreate(rest, environment);
      if (second === 'list' && isAtStart('list', 1)) return keyList(rest, environment);
      if (second === 'revoke' && isAtStart('revoke', 1)) return withOne('key-revoke', 'id', rest, environment);
      if (second === 'rotate' && isAtStart('rotate', 1)) return withOne('key-rotate', 'id', rest, environment);
      return usageError('"key" is followed by create, list, revoke or rotate.');
    }
    if (isAtStart('backup', 0)) return withOne('backup', 'file', args.slice(1), environment);
    if (isAtStart('restore', 0)) return withOne('restore', 'file', args.slice(1), environment);
    if (isAtStart('ca', 0)) return ca(args.slice(1), environment);
    if (isAtStart('smtp', 0)) return smtp(args.slice(1), environment);
    if (isAtStart('help', 0)) return { kind: 'help' };
    return serve(args, environment);
  } catch (thrown) {
    // The message of parseArgs says what is wrong with an option.
    return usageError(toArmatureError(thrown).message);
  }
}

function parse<O extends ParseArgsOptionsConfig>(args: readonly string[], options: O, allowPositionals = false) {
  const twoDashes = args.map((argument) => (/^-[a-z]{2}/.test(argument) ? `-${argument}` : argument));
  return parseArgs({ args: twoDashes, options, allowPositionals, strict: true });
}

type PlaceValues = Partial<Record<keyof typeof placeOptions, string>>;

/** @throws {ArmatureError} `call.bad_argument` */
function placeOf({ data, database, files }: PlaceValues, environment: Environment): HubPlace {
  const folder = data === undefined ? path.join(homeFolder(environment), 'hub') : path.resolve(data);
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database)) {
    throw new ArmatureError('call.bad_argument', '--database is no address of PostgreSQL: it begins with postgres://.');
  }
  if (files !== undefined) parseS3Address(files);
  return { folder, address: database ?? folder, filesAddress: files };
}

function serve(args: readonly string[], environment: Environment): HubCommand {
  const { values } = parse(args, serveOptions);
  if (values.help === true) return { kind: 'help' };
  const bind = values.bind ?? DEFAULT_BIND;
  if (!/^(\[[0-9a-fA-F:.]+\]|[^:\s]*):\d{1,5}$/.test(bind) || parseBindAddress(bind).port > 65_535) {
    return usageError(`--bind is "${bind}": write it as HOST:PORT, for example 0.0.0.0:8090 or [::1]:8090.`);
  }
  const alternativeHosts = values['tls-san'] ?? [];
  const wrong = alternativeHosts.find((host) => isIP(host) === 0 && !/^([\w-]+\.)*[\w-]+$/.test(host));
  if (wrong !== undefined) {
    return usageError(`--tls-san is "${wrong}": write a name or an address, for example hub.example or 10.0.0.9.`);
  }
  return {
    kind: 'serve',
    place: placeOf(values, environment),
    bind: { ...parseBindAddress(bind), setting: '--bind' },
    cluster: clusterOf(values),
    alternativeHosts,
    isTlsOff: values['no-tls'] ?? false,
    allowsInsecureCreds: values['allow-insecure-creds'] ?? false,
    allowedOrigins: values['allowed-origin'] ?? [],
    isDebug: values.debug ?? false,
  };
}

/** @throws {ArmatureError} `call.bad_argument` */
function clusterOf(
  values: PlaceValues & { readonly cluster?: string; readonly 'no-tls'?: boolean },
): string | undefined {
  const { cluster: text, database, files } = values;
  if (text === undefined) return undefined;
  const refuse = (message: string): never => {
    throw new ArmatureError('call.bad_argument', message);
  };
  const address = parseServerAddress(text);
  if (address === undefined || !/^https?:\/\//i.test(text)) {
    return refuse(
      `--cluster is "${text}": write where the other hubs reach this one, for example https://10.0.0.1:8090.`,
    );
  }
  if (database === undefined || files === undefined) {
    return refuse('--cluster needs --database and --files: hubs share PostgreSQL and a bucket, and no folder.');
  }
  const isTlsOff = values['no-tls'] ?? false;
  if (address.isEncrypted === isTlsOff) {
    return refuse(
      `--cluster is "${text}", and with${isTlsOff ? '' : 'out'} --no-tls it begins with http${isTlsOff ? '' : 's'}://.`,
    );
  }
  // Hubs pass their callers' tokens on to each other.
  if (isTlsOff && !/^(localhost|127(\.\d+){3}|::1)$/.test(address.host)) {
    return refuse(`--cluster is "${text}": hubs on other computers are reached over https, so leave out --no-tls.`);
  }
  return text;
}

function keyCreate(args: readonly string[], environment: Environment): HubCommand {
  const { values } = parse(args, createOptions);
  if (values.help === true) return { kind: 'help' };
  const { role = 'organization_owner', name, for: resourceId } = values;
  const place = placeOf(values, environment);
  return { kind: 'key-create', place, role, name: name ?? role.replace('_', ' '), resourceId };
}

function keyList(args: readonly string[], environment: Environment): HubCommand {
  const { values } = parse(args, listOptions);
  if (values.help === true) return { kind: 'help' };
  return { kind: 'key-list', place: placeOf(values, environment), isJson: values.json ?? false };
}

function ca(args: readonly string[], environment: Environment): HubCommand {
  const { values } = parse(args, plainOptions);
  return values.help === true ? { kind: 'help' } : { kind: 'ca', place: placeOf(values, environment) };
}

function smtp(args: readonly string[], environment: Environment): HubCommand {
  const { values, positionals } = parse(args, smtpOptions, true);
  if (values.help === true) return { kind: 'help' };
  const place = placeOf(values, environment);
  const [word = 'show', argument, extra] = positionals;
  if (extra !== undefined || (argument !== undefined && word !== 'test')) {
    return usageError(`"${extra ?? argument ?? ''}" does not belong to "smtp ${word}".`);
  }
  if (word === 'show' || word === 'forget') return { kind: 'smtp', place, action: { kind: word } };
  if (word === 'test') {
    if (argument === undefined) return usageError('"smtp test" needs the address that gets the mail.');
    return { kind: 'smtp', place, action: { kind: 'test', to: argument } };
  }
  if (word !== 'set') return usageError('"smtp" is followed by set, test or forget, or by nothing.');
  const { host, sender, security = 'starttls', user = '', authority: authorityFile } = values;
  if (host === undefined || sender === undefined) return usageError('"smtp set" needs --host and --sender.');
  if (security !== 'starttls' && security !== 'tls' && security !== 'none') {
    return usageError(`--security is "${security}": allowed are starttls, tls and none.`);
  }
  const port = values.port === undefined ? smtpPorts[security] : Number(values.port);
  const password = environment[SMTP_PASSWORD];
  return { kind: 'smtp', place, action: { kind: 'set', host, port, security, user, sender, authorityFile, password } };
}

/** A command with exactly one word behind it. */
function withOne(
  kind: 'key-revoke' | 'key-rotate' | 'backup' | 'restore',
  what: 'id' | 'file',
  args: readonly string[],
  environment: Environment,
): HubCommand {
  const { values, positionals } = parse(args, plainOptions, true);
  if (values.help === true) return { kind: 'help' };
  const [word, extra] = positionals;
  const command = kind.replace('-', ' ');
  if (word === undefined) {
    return usageError(
      `"${command}" needs ${what === 'id' ? 'the id of a key: see "armature hub key list"' : 'a file'}.`,
    );
  }
  if (extra !== undefined) return usageError(`"${extra}" does not belong to "${command}".`);
  const place = placeOf(values, environment);
  return kind === 'backup' || kind === 'restore'
    ? { kind, place, file: path.resolve(word) }
    : { kind, place, id: word };
}

function usageError(message: string): HubCommand {
  return { kind: 'usage-error', text: `${message}\n\n${hubUsage}` };
}
