/**
 * `npm run test:training`: models are trained with PyTorch on this computer, by calls and by the window. Arguments go to
 * vitest.
 */
import { runSuites } from '../harness/run-suites.ts';

await runSuites({ vitest: 'training', playwright: 'local' }, process.argv.slice(2));
