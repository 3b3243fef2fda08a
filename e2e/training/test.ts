/**
 * `npm run test:training`: trains models with PyTorch on this computer, by calls and in the window. Arguments go to
 * vitest.
 */
import { runSuites } from '../harness/run-suites.ts';

await runSuites({ vitest: 'training', playwright: 'local' }, process.argv.slice(2));
