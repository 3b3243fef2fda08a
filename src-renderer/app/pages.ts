/** The screens of the rail, in its order: their digit is in the chord that goes there. */
export const pages = [
  {
    name: 'configure',
    shape:
      'M4 5h8M4 8h8M4 11h5M4 1.5h8A2.5 2.5 0 0 1 14.5 4v8a2.5 2.5 0 0 1-2.5 2.5H4A2.5 2.5 0 0 1 1.5 12V4A2.5 2.5 0 0 1 4 1.5z',
  },
  { name: 'control', shape: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 8l3-3M8 3.8v.6M3.8 8h.6M11.6 8h.6' },
  { name: 'logs', shape: 'M2 4h12M2 8h8M2 12h10' },
] as const;
