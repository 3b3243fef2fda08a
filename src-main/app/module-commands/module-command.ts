import { runSubcommand, type Subcommands } from './subcommands.ts';
import type { ModuleIo } from './module-io.ts';

export const moduleUsage = `usage: armature module create NAME [--api API] [--model NAME] [--language typescript|python] [--folder DIR]
       armature module build [FOLDER] [--platform PLATFORM] [--json]
       armature module watch [FOLDER] [--machine ADDRESS] [--name NAME]
       armature module upload [ARCHIVE] --version VERSION [--platform PLATFORM] [--tag TAG,...]
       armature module search [TEXT] [--json]         modules of a hub that you may use
       armature module list [--json]                  those that you may publish
       armature module yank MODULE VERSION --reason TEXT | --undo
       armature module key create [--force] | show | register [--name NAME]
       armature module trust [NAMESPACE [KEY]]        list keys that sign modules here; accept one that was refused

  create     a folder with a module that builds and runs as it is. NAME is NAMESPACE:NAME, or NAME alone
  build      one file with everything it needs and its meta.json, packed as NAME.tar.gz
  watch      builds at each save and restarts the module on a machine
  upload     signs the package and publishes it

  --api API              of the model: core:component:sensor (the default), motor, generic, board, encoder, servo
  --platform PLATFORM    linux/amd64, linux/arm64, linux/any, ...; the default is any
  --machine ADDRESS      the default is http://localhost:8080
  --hub ADDRESS          of upload, search, list, yank and key register; else SVC_HUB; else http://localhost:8080
  --hub-ca FILE          certificate of the hub's authority, as "armature hub ca" prints it
  --key-id ID, --key KEY an API key; else SVC_API_KEY_ID and SVC_API_KEY, which other users of this computer
                         cannot read as they can arguments; none for a server of this user on this computer
  --organization ID      where the key may see several
`;

/** Each is loaded when it is asked for. */
const commands: Subcommands = {
  build: async () => (await import('./build-command.ts')).buildCommand,
  key: async () => (await import('./registry/key-command.ts')).keyCommand,
  list: async () => (await import('./registry/registry-commands.ts')).listCommand,
  search: async () => (await import('./registry/registry-commands.ts')).searchCommand,
  trust: async () => (await import('./registry/registry-commands.ts')).trustCommand,
  upload: async () => (await import('./registry/upload-command.ts')).uploadCommand,
  watch: async () => (await import('./watch-command.ts')).watchCommand,
  yank: async () => (await import('./registry/registry-commands.ts')).yankCommand,
  create: async () => (await import('./create-command.ts')).createCommand,
};

/** `armature module`: carries out one command for authors of modules. */
export function moduleCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  return runSubcommand('armature module', moduleUsage, commands, args, io);
}
