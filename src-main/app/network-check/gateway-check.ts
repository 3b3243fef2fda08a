import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { note, ok, type Check, type Outcome } from './check.ts';

/** Where Linux lists its routes over IPv4. */
const ROUTES = '/proc/net/route';
const PROBES = 3;

/**
 * Whether the router of this network answers. Only a note: a machine may have none, and routers need not answer. ICMP
 * needs a right that this program does not have, so it runs the system's `ping`.
 * @param mayStartPrograms false with `-untrusted-env`
 */
export function gatewayCheck(mayStartPrograms: boolean): Check {
  return {
    area: 'Router',
    target: 'default gateway',
    async run(signal) {
      const text = await readFile(ROUTES, 'utf8').catch(() => undefined);
      if (text === undefined) return note('not checked: this system does not say which it is');
      const gateway = defaultGateway(text);
      if (gateway === undefined) return note('there is none: only networks that this computer is in can be reached');
      if (!mayStartPrograms) return note(`${gateway}, not asked: -untrusted-env starts no programs`);
      return ping(gateway, signal);
    },
  };
}

/**
 * The gateway of the default route with the lowest metric, from the text of `/proc/net/route`. Undefined where there is
 * none, or it leads to an interface without one.
 */
export function defaultGateway(text: string): string | undefined {
  let best: { readonly gateway: string; readonly metric: number } | undefined;
  for (const line of text.split('\n').slice(1)) {
    const [, destination, gateway = '', , , , metricText, mask] = line.trim().split(/\s+/);
    const metric = Number(metricText);
    if (destination !== '00000000' || mask !== '00000000' || !Number.isInteger(metric)) continue;
    if (!/^[\dA-F]{8}$/i.test(gateway) || gateway === '00000000') continue;
    if (best !== undefined && best.metric <= metric) continue;
    // In the order of the processor's bytes, which all that this program runs on have in common.
    best = { gateway: [...Buffer.from(gateway, 'hex')].reverse().join('.'), metric };
  }
  return best?.gateway;
}

function ping(gateway: string, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = ['-n', '-q', '-c', String(PROBES), '-i', '0.3', '-W', '1', gateway];
    execFile('ping', options, { signal, env: { ...process.env, LC_ALL: 'C' } }, (thrown, stdout) => {
      if (thrown?.code === 'ENOENT') resolve(note(`${gateway}, not asked: there is no program "ping"`));
      else resolve(pingOutcome(gateway, stdout));
    });
  });
}

/** @param output of ping, in English */
export function pingOutcome(gateway: string, output: string): Outcome {
  const [, sent, received] = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(output) ?? [];
  if (sent === undefined) return note(`${gateway}, not asked: "ping" did not say what it found`);
  const [, averageMs] = /= [\d.]+\/([\d.]+)\//.exec(output) ?? [];
  const took = averageMs === undefined ? '' : `, ${averageMs} ms on average`;
  if (received === sent) return ok(`${gateway} answers (${received} of ${sent}${took})`);
  if (received === '0') {
    return note(
      `${gateway} does not answer`,
      'Many routers do not. If nothing else is reached either, check the cable or the wireless network.',
    );
  }
  return note(
    `${gateway} answers ${received} of ${sent} times${took}`,
    'Packets are lost on the first metres: check the cable or the wireless network.',
  );
}
