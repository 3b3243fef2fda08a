import { configureMessages } from '../../features/configure/messages.ts';
import { controlMessages } from '../../features/control/messages.ts';
import { logsMessages } from '../../features/logs/messages.ts';

/**
 * Every sentence of the page; those of a feature are in its folder. `{name}` is filled in; forms of a sentence are
 * separated by `|`: one | many, or none | one | many, chosen by `count`.
 */
export const en = {
  app: {
    name: 'Armature',
    pages: 'Pages',
    configure: 'Configure',
    control: 'Control',
    logs: 'Logs',
    changedMark: 'changed',
    controlOnMark: 'on',
    skip: 'Skip to the content',
  },
  header: {
    machine: 'Machine',
    unnamed: 'this machine',
    state: { starting: 'starting', running: 'running', stopping: 'stopping', unknown: 'not known yet' },
    failed: 'running, {count} failed',
    ready: '{ready} of {expected} ready',
    noResources: 'no resources yet',
    lastKnown: 'last known',
    stopAll: 'Stop all',
    stopping: 'Stopping',
    stopped: 'Everything that moves was told to stop.',
    stopFailed: 'Stop all failed. Press it again, or cut the power. Reason: {reason}',
  },
  link: {
    connecting: 'Connecting to the machine',
    waiting: 'No link to the machine. Next try in {seconds} s.',
    trying: 'No link to the machine. Trying now.',
    refused: 'The machine refused this page: {reason}',
    refusedHint: 'Open the address that the server printed after “open”: it carries the key to this page.',
    stale: 'What you see is from before the link was lost.',
    retry: 'Try now',
    lost: 'No link',
    back: 'The link to the machine is back.',
    never: 'Waiting for the machine to answer.',
  },
  foot: {
    source: { file: 'Configuration from a file', hub: 'Configuration from the hub', none: 'No configuration yet' },
    revision: 'Revision {revision}',
    appliedNow: 'applied just now',
    appliedAge: 'applied {age} ago',
  },
  theme: { label: 'Theme', light: 'Light', dark: 'Dark', system: 'As the system' },
  state: {
    kinds: {
      unconfigured: 'not configured',
      waiting: 'waiting',
      configuring: 'starting',
      ready: 'ready',
      failed: 'failed',
      removing: 'stopping',
      disabled: 'disabled',
    },
    since: '{state} · {age}',
    attempts: '{count} try so far | {count} tries in a row',
  },
  pick: {
    nothing: 'Nothing matches “{text}”.',
    other: 'Use “{text}”',
    more: 'and {count} more: type to narrow the list | and {count} more: type to narrow the list',
  },
  ...configureMessages,
  ...controlMessages,
  ...logsMessages,
} as const;

/** The shape every language has: the same keys, any sentences. */
type Sentences<Node> = { readonly [Key in keyof Node]: Node[Key] extends string ? string : Sentences<Node[Key]> };
export type Messages = Sentences<typeof en>;
