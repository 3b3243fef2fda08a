import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect } from 'node:tls';

/**
 * The first bytes of a TLS client as OpenSSL makes them.
 * @param servername the name it asks for; none where not given
 * @param protocols that it says it speaks
 */
export async function clientHello(servername?: string, protocols?: string[]): Promise<Buffer> {
  const [near, far] = duplexPair();
  const client = connect({
    socket: near,
    ...(servername === undefined ? {} : { servername }),
    ...(protocols === undefined ? {} : { ALPNProtocols: protocols }),
  });
  client.on('error', () => undefined);
  const [bytes] = (await once(far, 'data')) as [Buffer];
  client.destroy();
  far.destroy();
  return bytes;
}
