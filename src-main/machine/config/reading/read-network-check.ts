import { isIP } from 'node:net';
import { MOST_CHECK_TARGETS, networkCheckSchema } from '../../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import { parseHostAndPort, parseServerAddress } from '../../../base/server-address.ts';
import type { NetworkCheckTargets } from '../machine-config.ts';
import { ObjectReader } from './object-reader.ts';
import type { ParseContext } from './parse-context.ts';

const DNS_PORT = 53;
/** RFC 8489, section 18.6. */
const STUN_PORT = 3_478;
/** Labels of a host name, with the underscore that some have. */
const HOST_NAME = /^(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*\.?$/;

/**
 * Reads `network.check`. Invalid values are left out with a warning: a mistake in a rarely used check must not keep a
 * machine from running.
 */
export function readNetworkCheck(
  node: JsonNode | undefined,
  pointer: string,
  context: ParseContext,
): NetworkCheckTargets | undefined {
  if (node === undefined) return undefined;
  const { problems, unsupported } = context;
  const reader = new ObjectReader(node, pointer, 'network.check', networkCheckSchema, problems, unsupported);
  const read = <T>(key: string, parse: (text: string) => T | undefined, allowed: string): readonly T[] => {
    const texts = reader.texts(key, 'warning') ?? [];
    if (texts.length > MOST_CHECK_TARGETS) {
      const message = `"${key}" has ${texts.length} targets; the first ${MOST_CHECK_TARGETS} are checked.`;
      reader.report(key, 'warning', 'network.too_many_targets', message);
    }
    return texts.slice(0, MOST_CHECK_TARGETS).flatMap((text, index) => {
      const found = parse(text);
      if (found !== undefined) return [found];
      problems.report({
        pointer: joinPointer(reader.pointerOf(key), index),
        severity: 'warning',
        code: 'network.bad_target',
        message: `network.check: "${text.slice(0, 80)}" is left out of "${key}": write ${allowed}.`,
        found: text,
        allowed: [allowed],
      });
      return [];
    });
  };
  const stun = (text: string) => parseHostAndPort(text.replace(/^stun:/i, ''), STUN_PORT);
  const stunForm = 'HOST or HOST:PORT, for example stun.example:3478';
  return {
    dnsServers: read('dns_servers', dnsServer, 'an IP address, with or without :PORT, for example 192.168.1.1'),
    hosts: read('hosts', (text) => (HOST_NAME.test(text) ? text : undefined), 'the name of a host'),
    addresses: read('addresses', parseServerAddress, 'HOST:PORT, https://HOST:PORT or http://HOST:PORT'),
    stunServers: read('stun_servers', stun, stunForm),
    stunTcpServers: read('stun_tcp_servers', stun, stunForm),
  };
}

/** A name would need a DNS server to be resolved. */
function dnsServer(text: string) {
  const found = parseHostAndPort(text, DNS_PORT);
  return found !== undefined && isIP(found.host) !== 0 ? found : undefined;
}
