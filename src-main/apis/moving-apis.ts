/** Public APIs whose resources move and can be stopped, also those that only modules have models of. */
export const movingApis: ReadonlySet<string> = new Set(
  ['arm', 'base', 'gantry', 'gripper', 'motor', 'servo'].map((name) => `core:component:${name}`),
);
