import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ArmatureError } from '../../base/errors.ts';

/** Where to listen. */
export interface BindAddress {
  /** An address, `localhost`, or '' for every address. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The setting for another address, for errors; `network.bind_address` by default. */
  readonly setting?: string;
}

export interface Bound {
  readonly servers: readonly Server[];
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Attempts to find one port that is free on two addresses. */
const FREE_PORT_TRIES = 10;

/**
 * Listens on an address; on `localhost`, on 127.0.0.1 and ::1 with one port, as
 * programs differ in which they try.
 * @throws ArmatureError `server.cannot_bind`
 */
export async function bindAddresses(address: BindAddress, onSocket: (socket: Socket) => void): Promise<Bound> {
  if (address.host !== 'localhost') return asBound([await listenOn(address, onSocket)]);
  for (let attempt = 1; ; attempt++) {
    const first = await listenOn({ ...address, host: '127.0.0.1' }, onSocket);
    const { port } = first.address() as AddressInfo;
    try {
      return asBound([first, await listenOn({ ...address, host: '::1', port }, onSocket)]);
    } catch (thrown) {
      const code = (thrown as ArmatureError).details['errno'];
      // A computer without IPv6 has no ::1.
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return asBound([first]);
      first.close();
      if (address.port !== 0 || attempt >= FREE_PORT_TRIES) throw thrown;
    }
  }
}

function asBound(servers: readonly Server[]): Bound {
  const infos = servers.map((server) => server.address() as AddressInfo);
  return {
    servers,
    port: infos[0]?.port ?? 0,
    addresses: infos.map(({ address, family, port }) =>
      family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`,
    ),
  };
}

function listenOn(address: BindAddress, onSocket: (socket: Socket) => void): Promise<Server> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const server = createServer(onSocket);
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotBind(error, address)));
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => resolve(server));
  });
}

function cannotBind(
  error: NodeJS.ErrnoException,
  { host, port, setting = 'network.bind_address' }: BindAddress,
): ArmatureError {
  const where = `${host === '' ? 'every address' : host}, port ${port}`;
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program uses port ${port}; stop it, or set ${setting} to another port`,
    EACCES: `this user may not use port ${port}; set ${setting} to a port from 1024 on`,
    EADDRNOTAVAIL: `this computer has no address ${host}; set ${setting} to one that it has`,
    ENOTFOUND: `the host name ${host} leads nowhere; set ${setting} to an address of this computer`,
  };
  const reason = advice[error.code ?? ''] ?? `${error.message}; set ${setting} to an address that can be used`;
  return new ArmatureError('server.cannot_bind', `Cannot listen on ${where}: ${reason}.`, {
    cause: error,
    details: { host, port, errno: error.code },
  });
}
