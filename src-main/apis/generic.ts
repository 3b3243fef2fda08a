import type { Resource } from './resource.ts';

/** Something that fits no other API: all it has is DoCommand. */
export type Generic = Resource;
