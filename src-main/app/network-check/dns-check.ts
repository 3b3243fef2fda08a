import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { showHostAndPort, type HostAndPort } from '../../base/server-address.ts';
import { failed, note, ok, reasonOf, type Check, type Outcome } from './check.ts';
import { dnsQuery, readDnsAnswer, type DnsAnswer, type DnsQuestion } from './dns-message.ts';

/** A datagram may be lost: the question is asked again. */
const RETRY_MS = 1_000;

/** Whether a DNS server finds a name. */
export function dnsCheck(server: HostAndPort, host: string, clock: Clock): Check {
  return {
    area: 'DNS',
    target: `${host} by ${showHostAndPort(server)}`,
    async run(signal) {
      const answers = await Promise.all([
        askDns(server, { name: host, type: 'A' }, clock, signal),
        askDns(server, { name: host, type: 'AAAA' }, clock, signal),
      ]);
      return judge(answers);
    },
  };
}

/**
 * Whether a DNS server answers at all, if no names are configured: asks for the root, which every server for names of
 * the internet knows.
 */
export function dnsServerCheck(server: HostAndPort, clock: Clock): Check {
  return {
    area: 'DNS',
    target: showHostAndPort(server),
    async run(signal) {
      const { code, values } = await askDns(server, { name: '.', type: 'NS' }, clock, signal);
      if (code === 'NOERROR' && values.length > 0) return ok('answers');
      return note(`answers, and does not know the root of the internet (${code})`);
    },
  };
}

/** Whether programs of this computer can resolve a name, by the system's resolver. */
export function systemLookupCheck(host: string): Check {
  return {
    area: 'Name',
    target: `${host} by this system`,
    async run() {
      try {
        const found = await lookup(host, { all: true });
        return ok([...new Set(found.map(({ address }) => address))].join(', '));
      } catch (thrown) {
        return failed(
          reasonOf(thrown),
          'Check the spelling of the name, and the DNS servers of this computer (/etc/resolv.conf, resolvectl status).',
        );
      }
    },
  };
}

function judge(answers: readonly DnsAnswer[]): Outcome {
  const values = answers.flatMap((answer) => answer.values);
  if (values.length > 0) return ok(values.join(', '));
  const code = answers.find((answer) => answer.code !== 'NOERROR')?.code ?? 'NOERROR';
  switch (code) {
    case 'NOERROR':
      return failed('the name has no address there', 'Give the name an A or AAAA record, or use another name.');
    case 'NXDOMAIN':
      return failed('no such name (NXDOMAIN)', 'Check the spelling, or ask a DNS server that knows the name.');
    case 'REFUSED':
      return failed('the server refuses to answer (REFUSED)', 'Use a DNS server that serves this network.');
    default:
      return failed(
        `the server cannot find out (${code})`,
        'Check whether the server itself has a connection, or use another one.',
      );
  }
}

/**
 * Asks a DNS server over UDP. Rejects where the port is closed, or the signal aborts: its message then says whether
 * anything came that was no answer.
 */
export function askDns(
  server: HostAndPort,
  asked: Omit<DnsQuestion, 'id'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const question: DnsQuestion = { ...asked, id: randomInt(65_536) };
  const socket = createSocket(isIPv6(server.host) ? 'udp6' : 'udp4');
  return new Promise<DnsAnswer>((resolve, reject) => {
    let strange = 0;
    const unsubscribe = onAbort(signal, () => end(() => reject(silence(strange))));
    const again = clock.every(RETRY_MS, () => socket.send(dnsQuery(question)));
    const end = (settle: () => void): void => {
      again.cancel();
      unsubscribe();
      socket.removeAllListeners('error').on('error', () => undefined);
      socket.close();
      settle();
    };
    socket.on('error', (thrown) => end(() => reject(thrown)));
    socket.on('message', (bytes) => {
      const answer = readDnsAnswer(bytes, question);
      if (answer === undefined) strange++;
      else end(() => resolve(answer));
    });
    // Only what this server sends is taken then, and that its port is closed becomes an error.
    socket.connect(server.port, server.host, () => socket.send(dnsQuery(question)));
  });
}

function silence(strange: number): Error {
  return new Error(
    strange === 0 ? 'no answer' : `${strange} ${strange === 1 ? 'message' : 'messages'}, none of them an answer`,
  );
}
