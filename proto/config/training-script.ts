/** The public contract for packages with a training script. Hub and command line apply the same rules. */

/** The package's description, and what is run, as `python3 -m model.training`. */
export const TRAINING_SCRIPT_FILES = ['setup.py', 'model/training.py'] as const;

/** Names of arguments that a job may give to its script. */
const ARGUMENT = /^[a-zA-Z0-9_-]{1,100}$/;
/** Given by whoever runs the script. */
const OWN_ARGUMENTS: readonly string[] = ['dataset_file', 'model_output_directory'];
const MOST_ARGUMENTS = 100;
const LONGEST_ARGUMENT = 4_000;

/**
 * The folder within a package in which its script is: '' for the package itself, `name/` where everything is in one
 * folder, as source distributions of Python are; undefined where it has no script.
 * @param names paths of the files in the package
 */
export function trainingScriptRoot(names: readonly string[]): string | undefined {
  const files = names.map((name) => name.replace(/^(\.\/)+/, ''));
  const roots = ['', ...new Set(files.flatMap((name) => /^[^/]+\//.exec(name) ?? []))];
  return roots.find((root) => TRAINING_SCRIPT_FILES.every((file) => files.includes(`${root}${file}`)));
}

/** Why files are no training script, as a sentence; undefined where they are one. */
export function trainingScriptProblem(names: readonly string[]): string | undefined {
  if (trainingScriptRoot(names) !== undefined) return undefined;
  const lacks = TRAINING_SCRIPT_FILES.filter(
    (file) => !names.some((name) => name === file || name.endsWith(`/${file}`)),
  );
  const what =
    lacks.length === 0
      ? 'setup.py and model/training.py are not in the same folder'
      : `it has no ${lacks.join(' and no ')}`;
  return `This is no training script: ${what}. A script is a folder with setup.py and model/training.py, which is run as "python3 -m model.training".`;
}

/** Why a job cannot give these arguments to its script, as a sentence; undefined where it can. */
export function scriptArgumentsProblem(given: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(given);
  if (entries.length > MOST_ARGUMENTS)
    return `There are ${entries.length} arguments; a script gets at most ${MOST_ARGUMENTS}.`;
  for (const [name, value] of entries) {
    if (!ARGUMENT.test(name)) {
      return `The argument "${name.slice(0, 40)}" is not allowed: a name has 1 to 100 letters, digits, "_" and "-".`;
    }
    if (OWN_ARGUMENTS.includes(name)) return `The argument "${name}" is given by the hub: leave it out.`;
    if (value.length > LONGEST_ARGUMENT || value.includes('\0')) {
      return `The value of the argument "${name}" has ${value.length} characters; it may have ${LONGEST_ARGUMENT}, and no NUL.`;
    }
  }
  return undefined;
}
