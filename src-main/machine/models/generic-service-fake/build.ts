export { build } from '../generic-fake/build.ts';
