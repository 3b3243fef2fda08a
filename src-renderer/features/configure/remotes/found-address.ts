import { FoundMachine_Transport, type FoundMachine } from '../../../../proto/gen/core/network/v1/network.ts';
import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { Text } from '../../../shared/text.ts';

/**
 * The address to write for a machine that was found; '' if it has none. A machine on the same computer is connected
 * without TLS: nothing leaves the computer, and no certificate is valid for a loopback address.
 */
export function addressTextOf({ addresses, port, transport }: FoundMachine): string {
  const [first = ''] = addresses;
  if (first === '') return '';
  const place = `${first.includes(':') ? `[${first}]` : first}:${port}`;
  if (transport === FoundMachine_Transport.CLEAR || isLoopback(first)) return `http://${place}`;
  return transport === FoundMachine_Transport.TLS ? `https://${place}` : place;
}

/** The name that a machine announces, without the part that its whole fleet shares. */
export function shortMachineName({ name }: Pick<FoundMachine, 'name'>): string {
  return name.split('.', 1)[0] ?? name;
}

/** The addresses of the machines that were found, each once. */
export function addressOptions(machines: readonly FoundMachine[], t: Text): readonly PickOption[] {
  const seen = new Set<string>();
  return machines.flatMap((machine) => {
    const value = addressTextOf(machine);
    if (value === '' || seen.has(value)) return [];
    seen.add(value);
    const detail = `${shortMachineName(machine)} · ${t(`remotes.address.${transportWord(machine)}`)}`;
    return [{ value, label: value, detail, group: t('remotes.address.found') }];
  });
}

function transportWord({ addresses, transport }: FoundMachine): 'here' | 'tls' | 'clear' | 'unknown' {
  if (isLoopback(addresses[0] ?? '')) return 'here';
  if (transport === FoundMachine_Transport.CLEAR) return 'clear';
  return transport === FoundMachine_Transport.TLS ? 'tls' : 'unknown';
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
