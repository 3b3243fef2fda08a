/** What a new module is called. */
export interface NewModule {
  readonly namespace: string;
  readonly name: string;
  /** `namespace:name`. */
  readonly moduleId: string;
  /** Triplet in our spelling. */
  readonly api: string;
  /** Last part of the model. */
  readonly modelName: string;
  /** Triplet. */
  readonly model: string;
}

export interface TemplateFile {
  /** Relative, with slashes. */
  readonly name: string;
  readonly text: string | Uint8Array;
  readonly isExecutable?: boolean;
}

/** `meta.json` of a new module. */
export function metaJson(module: NewModule, more: Readonly<Record<string, unknown>>): string {
  const meta = {
    module_id: module.moduleId,
    visibility: 'private',
    url: '',
    description: `What ${module.name} is for, in a sentence.`,
    models: [{ api: module.api, model: module.model, short_description: 'What this model is, in a few words.' }],
    markdown_link: 'README.md',
    ...more,
  };
  return `${JSON.stringify(meta, null, 2)}\n`;
}

/** An entry of a machine's configuration that runs a folder as a local module. */
export function exampleConfig(module: NewModule, executable: string, attributes: object): string {
  const config = {
    modules: [
      {
        type: 'local',
        name: `${module.namespace}_${module.name}`,
        module_id: module.moduleId,
        executable_path: executable,
        version: 'latest',
      },
    ],
    [module.api.split(':')[1] === 'service' ? 'services' : 'components']: [
      { name: 'first', api: module.api, model: module.model, attributes },
    ],
  };
  return JSON.stringify(config, null, 2);
}
