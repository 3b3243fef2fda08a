import { runSubcommand, type Subcommands } from '../module-commands/subcommands.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';

export const trainingUsage = `usage: armature training upload FOLDER|FILE.tar.gz --name NAME --version VERSION [--type TYPE] [--public]
       armature training list [--json]
       armature training delete NAME VERSION

  upload     stores a training script in a hub: a folder with setup.py and model/training.py, which jobs run as
             "python3 -m model.training --dataset_file=FILE --model_output_directory=FOLDER" and their own arguments
  list       training scripts of the organization, with their versions
  delete     one version; jobs that wait for it fail

  --type TYPE            what its models tell of a picture: single_label_classification, multi_label_classification,
                         object_detection or unspecified (the default)
  --public               every organization of the hub may run it
  --json                 of upload and list: the answer for programs
  --hub ADDRESS          else SVC_HUB; else http://localhost:8080
  --hub-ca FILE          certificate of the hub's authority, as "armature hub ca" prints it
  --key-id ID, --key KEY an API key; else SVC_API_KEY_ID and SVC_API_KEY, which other users of this computer
                         cannot read as they can arguments; none for a server of this user on this computer
  --organization ID      where the key may see several
`;

const commands: Subcommands = {
  upload: async () => (await import('./training-upload.ts')).trainingUploadCommand,
  list: async () => (await import('./training-list.ts')).trainingListCommand,
  delete: async () => (await import('./training-list.ts')).trainingDeleteCommand,
};

/** `armature training`: carries out one command for training scripts. */
export function trainingCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  return runSubcommand('armature training', trainingUsage, commands, args, io);
}
