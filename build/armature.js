#!/usr/bin/env -S node --max-semi-space-size=8
/**
 * The `armature` command. Kept tiny: it turns on V8's compile cache before the program is loaded, because compiling
 * takes most of a start. It imports no name that an old Node lacks: that would stop it with a SyntaxError before it
 * could say which Node it needs.
 */
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(
    `armature needs Node 22.15 or newer; this is ${process.version}. ` +
      'Run it as "./armature" in the repository, which brings its own.\n',
  );
  process.exit(2);
}

modules.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/armature', import.meta.url)));
const program = new URL('../dist/main/cli.js', import.meta.url).href;
// Checking first that the file exists would load more of Node than this whole file does.
const { main } = await import(program).catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || error.url !== program) throw error;
  process.stderr.write('armature is not built yet. Run "npm run build" in the repository first.\n');
  process.exit(2);
});
await main(process.argv.slice(2));
