/** The `armature` command: its first word chooses what runs, and only that is loaded. */
import { fileURLToPath } from 'node:url';

/** Folder of the program: the built command is in `dist/main`. */
const installed = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
/** The built page, beside the built command. */
const builtPage = fileURLToPath(new URL('../renderer', import.meta.url));

const usage = `usage: armature <command> [options]

  server -config FILE            serve a machine; armature server -help lists the options
  hub                            serve the hub of a fleet; armature hub -help lists the options and commands
  config check FILE [--json]     list everything that is wrong with a configuration; exit code 1 for errors
  config plan OLD NEW [--json]   say what going from one configuration to another would do
  doctor [--json]                list what this computer has for wires, what is missing, and what to do about it
  diagnostics                    show and export what a server recorded of itself; armature diagnostics -help
  module                         make, build, publish and watch modules; armature module -help lists the commands
  model                          upload, list and delete models; armature model -help lists the commands
  training                       the same for training scripts; armature training -help lists the commands
  version                        print the version
`;

async function runConfig(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args;
  const { nodeIo } = await import('./app/command-io.ts');
  const { builtinCatalog } = await import('./machine/models/catalog.ts');
  if (verb === 'check')
    return (await import('./machine/config/checks/check.ts')).checkCommand(rest, nodeIo, builtinCatalog);
  if (verb === 'plan') {
    return (await import('./machine/config/plan/plan-command.ts')).planCommand(rest, nodeIo, builtinCatalog);
  }
  nodeIo.stderr(usage);
  return 2;
}

async function runFamily(
  command: 'diagnostics' | 'model' | 'module' | 'training',
  args: readonly string[],
): Promise<number> {
  const { nodeIo } = await import('./app/command-io.ts');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
  const io = { ...nodeIo, cwd: process.cwd(), root: installed, signal: stop.signal };
  if (command === 'diagnostics')
    return (await import('./app/diagnostics-commands/diagnostics-command.ts')).diagnosticsCommand(args, io);
  if (command === 'model') return (await import('./app/model-commands/model-command.ts')).modelCommand(args, io);
  if (command === 'training')
    return (await import('./app/training-commands/training-command.ts')).trainingCommand(args, io);
  return (await import('./app/module-commands/module-command.ts')).moduleCommand(args, io);
}

async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'server':
      return (await import('./server.ts')).runServer(rest, builtPage);
    case 'hub':
      return (await import('./hub.ts')).runHub(rest, builtPage);
    case 'config':
      return runConfig(rest);
    case 'doctor': {
      const { nodeIo } = await import('./app/command-io.ts');
      return (await import('./app/doctor/doctor-command.ts')).doctorCommand(rest, nodeIo);
    }
    case 'diagnostics':
    case 'model':
    case 'module':
    case 'training':
      return runFamily(command, rest);
    case 'version':
    case '--version':
      process.stdout.write(`armature ${(await import('./app/version.ts')).version}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(usage);
      return 0;
    default:
      process.stderr.write(command === undefined ? usage : `armature: "${command}" is no command.\n\n${usage}`);
      return 2;
  }
}

/** Runs the command line and ends the program with its exit code, once what it printed is out. */
export async function main(args: readonly string[]): Promise<void> {
  const exitCode = await run(args);
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  process.exit(exitCode);
}
