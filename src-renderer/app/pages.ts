/** The screens of a machine, in the order of the rail. Their position is the digit of their chord. */
export const pages = [
  {
    name: 'configure',
    shape:
      'M4 5h8M4 8h8M4 11h5M4 1.5h8A2.5 2.5 0 0 1 14.5 4v8a2.5 2.5 0 0 1-2.5 2.5H4A2.5 2.5 0 0 1 1.5 12V4A2.5 2.5 0 0 1 4 1.5z',
  },
  { name: 'control', shape: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 8l3-3M8 3.8v.6M3.8 8h.6M11.6 8h.6' },
  { name: 'logs', shape: 'M2 4h12M2 8h8M2 12h10' },
  { name: 'history', shape: 'M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2.5 5.7M2.5 2.5v3.2h3.2M8 5v3.2l2.2 1.3' },
  { name: 'triggers', shape: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z' },
] as const;

/** The other screens: the first is above those of a machine, the rest below. Chords: see `shell-commands.ts`. */
export const outerPages = {
  overview: {
    name: 'overview',
    shape: 'M2 7.5 8 2.5l6 5M3.5 6.5v7h9v-7M6.5 13.5v-4h3v4',
  },
  diagnostics: { name: 'diagnostics', shape: 'M1.5 8h3l2-5 3 10 2-5h3' },
  data: {
    name: 'data',
    shape:
      'M2.5 4c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2S11 2 8 2s-5.5.9-5.5 2zM2.5 4v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2',
  },
  train: { name: 'train', shape: 'M1.5 12.5 5.5 8l3 2.5 6-7M10.5 3.5h4v4' },
  fleet: { name: 'fleet', shape: 'M2 2.5h5v4.5H2zM9 2.5h5v4.5H9zM2 9h5v4.5H2zM9 9h5v4.5H9z' },
  registry: { name: 'registry', shape: 'M8 1.8 14 5v6l-6 3.2L2 11V5zM2 5l6 3.2L14 5M8 8.2v6' },
  settings: {
    name: 'settings',
    shape:
      'M10 8a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  },
} as const;
