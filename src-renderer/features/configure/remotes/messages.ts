/** Sentences about other machines in Configure; see `app/messages/en.ts`. */
export const remoteMessages = {
  address: {
    title: 'Address',
    placeholder: 'HOST:PORT',
    found: 'Found on this network',
    tls: 'TLS',
    clear: 'not encrypted',
    here: 'on this computer',
    unknown: 'encryption unknown',
    looking: 'Looking for machines on this network. An address can be typed too.',
    count:
      'One machine found on this network: pick it, or type an address. | {count} machines found on this network: pick one, or type an address.',
    disabled: 'Type the address: this server runs with -disable-mdns, so it does not look for machines on the network.',
    failed: 'Type the address: machines on the network cannot be found. {reason}',
  },
  key: {
    title: 'API key',
    hint: 'An API key of that machine, or of its hub. Without one, you can use only what needs no key.',
    id: 'Key id',
    secret: 'Key',
    show: 'Show the key',
    hide: 'Hide the key',
    clear:
      'The connection is not encrypted. A key is sent over it only to this computer, or where the server runs with -allow-insecure-creds.',
  },
  more: 'More settings',
  card: {
    label: 'Other machine',
    notApplied: 'Draft only. Apply to connect to it.',
    removed: 'It is removed when you apply, with its resources.',
    state: {
      connecting: 'Connecting',
      connected: 'Connected',
      failed: 'Not reached',
      disabled: 'Disabled',
    },
    resources:
      'None of its resources are here yet. | One of its resources is here. | {count} of its resources are here.',
    waiting: 'Its resources keep their names here and wait for it.',
    logs: 'Log of all connections',
  },
  has: {
    title: 'Its resources',
    none: 'None yet.',
  },
  remove: '{names} is removed with it. | {names} are removed with it.',
} as const;
