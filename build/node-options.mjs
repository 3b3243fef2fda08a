/**
 * Options of Node for `armature`; the file `armature` and the first line of `build/armature.js` repeat them.
 *
 * Each call leaves objects behind that outlive a collection of V8's young generation, so a collection takes time in
 * proportion to its size: with the 64 MiB that Node allows, a busy server pauses 20 ms ten times a second; with 8 MiB,
 * 2 ms more often, and it answers as many calls.
 */
export const nodeOptions = ['--max-semi-space-size=8'];
