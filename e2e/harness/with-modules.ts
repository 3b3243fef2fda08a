import { onTestFinished, type TestContext } from 'vitest';
import { CannotRun, ModuleMachine, type MachineContents } from './module-machine.ts';
import type { ServerOptions } from './server-process.ts';

/** Starts a machine for the running test. Skips the test, with the reason, if a program cannot run here. */
export async function withModules(
  context: TestContext,
  contents: MachineContents,
  options: Partial<ServerOptions> = {},
): Promise<ModuleMachine> {
  try {
    const machine = await ModuleMachine.start(contents, options);
    onTestFinished(async () => void (await machine.stop()));
    return machine;
  } catch (thrown) {
    if (thrown instanceof CannotRun) context.skip(thrown.message);
    throw thrown;
  }
}

/** The board of the machine; the modules' motors are on its pins. */
export const bench = { name: 'bench', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } };
