import { runSubcommand, type Subcommands } from '../module-commands/subcommands.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';

export const modelUsage = `usage: armature model upload FILE --name NAME --version VERSION [--labels FILE] [--type TYPE]
       armature model list [--json]
       armature model delete NAME VERSION

  upload     stores an .onnx or .tflite file in a hub, as a package that machines download
  list       models that you may use, with their versions
  delete     one version; machines that have it keep it

  --labels FILE          one label on each line, in the order of the outputs of the model
  --type TYPE            single_label_classification, multi_label_classification, object_detection or unknown (the default)
  --json                 of upload and list: the answer for programs
  --hub ADDRESS          else SVC_HUB; else http://localhost:8080
  --hub-ca FILE          certificate of the hub's authority, as "armature hub ca" prints it
  --key-id ID, --key KEY an API key; else SVC_API_KEY_ID and SVC_API_KEY, which other users of this computer
                         cannot read as they can arguments; none for a server of this user on this computer
  --organization ID      where the key may see several
`;

const commands: Subcommands = {
  upload: async () => (await import('./model-upload.ts')).modelUploadCommand,
  list: async () => (await import('./model-list.ts')).modelListCommand,
  delete: async () => (await import('./model-list.ts')).modelDeleteCommand,
};

/** `armature model`: carries out one command for models of machine learning. */
export function modelCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  return runSubcommand('armature model', modelUsage, commands, args, io);
}
