import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, TLSSocket } from 'node:tls';
import { onAbort } from '../../base/async/abort.ts';
import type { ServerAddress } from '../../base/server-address.ts';
import { failed, ok, reasonOf, type Check, type Outcome } from './check.ts';

/** A server that has to be reached. */
export interface ReachabilityTarget {
  /** What it is to this machine: `hub`, `remote second`, `server`. */
  readonly what: string;
  readonly address: ServerAddress;
  /** Certificates in PEM of an authority to accept besides those of the system; '' for none. */
  readonly authority: string;
}

/** Whether a server takes connections, and shows a certificate that this machine accepts. */
export function reachabilityCheck({ what, address, authority }: ReachabilityTarget): Check {
  return {
    area: address.isEncrypted ? 'TLS' : 'TCP',
    target: `${what} ${address.text}`,
    async run(signal) {
      const socket = address.isEncrypted ? startTls(address, authority) : connect(address);
      try {
        await connected(socket, address.isEncrypted ? 'secureConnect' : 'connect', signal);
        // While the connection is open: afterwards the certificate is not available.
        return socket instanceof TLSSocket ? certificateOutcome(socket, what) : ok('takes connections');
      } catch (thrown) {
        return unreachable(thrown, address);
      } finally {
        socket.destroy();
      }
    },
  };
}

function startTls({ host, port }: ServerAddress, authority: string): TLSSocket {
  return connectTls({
    host,
    port,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['h2', 'http/1.1'],
    ca: authority === '' ? undefined : [...rootCertificates, authority],
    // Problems of the certificate are reported as such, not as a failed connection.
    rejectUnauthorized: false,
  });
}

function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const unsubscribe = onAbort(signal, () =>
      reject(new Error(isOpen ? 'takes connections, and does not answer in TLS' : 'no answer')),
    );
    socket.on('connect', () => (isOpen = true));
    socket.once(event, () => (unsubscribe(), resolve()));
    socket.on('error', (thrown) => (unsubscribe(), reject(thrown)));
  });
}

function unreachable(thrown: unknown, { host, port }: ServerAddress): Outcome {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  if (/^ERR_SSL|^EPROTO/.test(code) || /not answer in TLS/.test(message)) {
    return failed(
      'it speaks no TLS',
      `Write http:// before the address if ${host}:${port} serves clear text, or turn on its TLS.`,
    );
  }
  const next = /ENOTFOUND|EAI_AGAIN/.test(code)
    ? 'Check the spelling of the name, and the DNS servers of this computer.'
    : `Check that the server runs, and that no firewall keeps this computer from port ${port} of ${host}.`;
  return failed(reasonOf(thrown), next);
}

function certificateOutcome(socket: TLSSocket, what: string): Outcome {
  const certificate = socket.getPeerCertificate();
  const until = certificate.valid_to === undefined ? '' : `, valid until ${certificate.valid_to}`;
  if (socket.authorized) return ok(`takes connections, its certificate is good${until}`);
  // A code, or for a name that is not in the certificate an error with one.
  const problem: NodeJS.ErrnoException | string = socket.authorizationError;
  const code = typeof problem === 'string' ? problem : (problem.code ?? '');
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return failed(
        `its certificate is valid from ${certificate.valid_from} to ${certificate.valid_to}`,
        'Check the clock of this computer (timedatectl), then renew the certificate.',
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return failed(
        `its certificate is for ${certificate.subjectaltname ?? 'nothing'}`.slice(0, 200),
        'Name the server by one of these names.',
      );
    default: {
      const where = what === 'server' ? 'SSL_CERT_FILE or NODE_EXTRA_CA_CERTS' : 'cloud.ca';
      return failed(
        `its certificate is not trusted here (${code})`,
        `Name the certificate of its authority in ${where}: "armature hub ca" prints that of a hub.`,
      );
    }
  }
}
