import { SDK_NAME, type SdkPackage } from '../sdk-package.ts';
import { exampleConfig, metaJson, type NewModule, type TemplateFile } from './new-module.ts';

/** The part of a model that depends on its API. */
interface ApiTemplate {
  /** What the model file imports beside `defineModel`. */
  readonly imports: string;
  /** Properties of the schema, as source. */
  readonly properties: string;
  /** Attributes of the example. */
  readonly example: object;
  /** Body of `build`. */
  readonly build: string;
  /** What its test does with `instance`. */
  readonly test: string;
}

const sensor: ApiTemplate = {
  imports: '',
  properties: `offset: { type: 'number', description: 'Added to each reading.', default: 0 },`,
  example: { offset: 0.5 },
  build: `    const { offset = 0 } = attributes;
    logger.info(\`\${name} adds \${offset}\`);
    return {
      async readings() {
        return { celsius: 21 + offset };
      },
    };`,
  test: `assert.deepEqual(await instance.readings(), { celsius: 21.5 });`,
};

const generic: ApiTemplate = {
  imports: '',
  properties: `greeting: { type: 'string', minLength: 1, description: 'What it answers with.' },`,
  example: { greeting: 'hello' },
  build: `    const { greeting = 'hello' } = attributes;
    logger.info(\`\${name} says \${greeting}\`);
    return {
      async doCommand(command) {
        return { greeting, command };
      },
    };`,
  test: `assert.deepEqual(await instance.doCommand?.({ a: 1 }), { greeting: 'hello', command: { a: 1 } });`,
};

const motor: ApiTemplate = {
  imports: 'ArmatureError, ',
  properties: `max_rpm: { type: 'number', exclusiveMinimum: 0, description: 'Speed at full power.', 'x-unit': 'rpm' },`,
  example: { max_rpm: 120 },
  build: `    const { max_rpm = 100 } = attributes;
    let power = 0;
    const unsupported = (method: string) => new ArmatureError('call.unimplemented', \`"\${name}" has no \${method}.\`);
    return {
      async setPower(value) {
        power = value;
        logger.debug(\`power \${power}\`);
      },
      async setRpm(rpm) {
        power = Math.max(-1, Math.min(1, rpm / max_rpm));
      },
      goFor: () => Promise.reject(unsupported('GoFor')),
      goTo: () => Promise.reject(unsupported('GoTo')),
      resetZeroPosition: () => Promise.reject(unsupported('ResetZeroPosition')),
      position: () => Promise.reject(unsupported('GetPosition')),
      properties: async () => ({ isPositionReported: false }),
      poweredState: async () => ({ isOn: power !== 0, power }),
      isMoving: async () => power !== 0,
      async stop() {
        power = 0;
      },
      async close() {
        power = 0;
      },
    };`,
  test: `await instance.setRpm(60);
  assert.deepEqual(await instance.poweredState(), { isOn: true, power: 0.5 });
  await instance.stop();
  assert.equal(await instance.isMoving(), false);`,
};

const servo: ApiTemplate = {
  imports: '',
  properties: `max_deg: { type: 'number', minimum: 1, maximum: 360, description: 'As far as it goes.', 'x-unit': 'degrees' },`,
  example: { max_deg: 180 },
  build: `    const { max_deg = 180 } = attributes;
    let angle = 0;
    return {
      async move(angleDeg) {
        angle = Math.max(0, Math.min(max_deg, angleDeg));
        logger.debug(\`\${name} at \${angle}\`);
      },
      position: async () => angle,
      isMoving: async () => false,
      async stop() {},
    };`,
  test: `await instance.move(200);
  assert.equal(await instance.position(), 180);`,
};

const encoder: ApiTemplate = {
  imports: 'ArmatureError, ',
  properties: `ticks_per_rotation: { type: 'integer', minimum: 1, description: 'Ticks of a whole turn.' },`,
  example: { ticks_per_rotation: 400 },
  build: `    let ticks = 0;
    logger.debug(\`\${name} has \${attributes.ticks_per_rotation ?? 'some'} ticks a turn\`);
    return {
      async position(type) {
        if (type === 'degrees') throw new ArmatureError('call.unimplemented', \`"\${name}" counts ticks.\`);
        return { value: ticks, type: 'ticks' };
      },
      async resetPosition() {
        ticks = 0;
      },
      properties: async () => ({ isTicksSupported: true, isDegreesSupported: false }),
    };`,
  test: `assert.deepEqual(await instance.position('ticks'), { value: 0, type: 'ticks' });`,
};

const board: ApiTemplate = {
  imports: 'ArmatureError, ',
  properties: `pins: { type: 'array', items: { type: 'string' }, description: 'Names of its pins.' },`,
  example: { pins: ['1', '2'] },
  build: `    const levels = new Map((attributes.pins ?? []).map((pin) => [pin, false]));
    const none = (what: string) => new ArmatureError('call.not_found', \`"\${name}" has no \${what}.\`);
    logger.debug(\`\${name} has \${levels.size} pins\`);
    return {
      gpioPin(pin) {
        if (!levels.has(pin)) throw none(\`pin \${pin}\`);
        return {
          set: async (isHigh) => void levels.set(pin, isHigh),
          get: async () => levels.get(pin) ?? false,
          setPwm: async (duty) => void levels.set(pin, duty > 0),
          pwm: async () => (levels.get(pin) === true ? 1 : 0),
          setPwmFrequency: async () => undefined,
          pwmFrequency: async () => 0,
        };
      },
      digitalInterrupt(interrupt) {
        throw none(\`interrupt \${interrupt}\`);
      },
      readAnalog: (analog) => Promise.reject(none(\`analog \${analog}\`)),
      writeAnalog: (pin) => Promise.reject(none(\`analog \${pin}\`)),
    };`,
  test: `await instance.gpioPin('1').set(true);
  assert.equal(await instance.gpioPin('1').get(), true);`,
};

const templates: Readonly<Record<string, ApiTemplate>> = {
  'core:component:sensor': sensor,
  'core:component:motor': motor,
  'core:component:generic': generic,
  'core:component:board': board,
  'core:component:encoder': encoder,
  'core:component:servo': servo,
  'core:service:generic': generic,
};

/** APIs that a module can be made for. */
export const templateApis: readonly string[] = Object.keys(templates);

/** The program within a built folder, and so in the package. */
const ENTRYPOINT = 'main.mjs';
const FIRST_VERSION = '0.0.1';

/** Files of a new module in TypeScript. @param sdk what lies beside them */
export function typescriptFiles(module: NewModule, sdk: SdkPackage): readonly TemplateFile[] {
  const template = templates[module.api] ?? sensor;
  const variable = variableOf(module.modelName);
  return [
    { name: 'package.json', text: packageJson(module, sdk) },
    { name: 'package-lock.json', text: packageLock(module, sdk) },
    { name: 'meta.json', text: metaJson(module, { entrypoint: ENTRYPOINT }) },
    { name: 'tsconfig.json', text: tsconfigJson },
    { name: '.gitignore', text: 'node_modules/\ndist/\n*.tar.gz\n' },
    { name: 'README.md', text: readme(module, template) },
    {
      name: 'src/main.ts',
      text: `import { runModule } from '@armature-machine/module';
import { ${variable} } from './${module.modelName}.ts';

void runModule({ models: [${variable}] });
`,
    },
    {
      name: `src/${module.modelName}.ts`,
      text: `import { ${template.imports}defineModel } from '@armature-machine/module';

/** The model ${module.model}. Its attributes are checked against the schema, and typed by it. */
export const ${variable} = defineModel({
  api: '${module.api}',
  model: '${module.model}',
  attributes: {
    type: 'object',
    properties: {
      ${template.properties}
    },
    additionalProperties: false,
  },
  async build({ name, attributes, logger }) {
${template.build}
  },
});
`,
    },
    {
      name: `test/${module.modelName}.test.ts`,
      text: `import assert from 'node:assert/strict';
import test from 'node:test';
import { buildForTest } from '@armature-machine/module';
import { ${variable} } from '../src/${module.modelName}.ts';

test('${module.modelName}', async () => {
  const instance = await buildForTest(${variable}, { attributes: ${source(template.example)} });
  ${template.test}
});

test('an attribute that it does not know is a problem', async () => {
  await assert.rejects(buildForTest(${variable}, { attributes: { colour: 'red' } }), /colour/);
});
`,
    },
  ];
}

/** What has to be installed. Where the types of Node cannot be had, only the editor misses something. */
function dependencies(sdk: SdkPackage) {
  return { devDependencies: { [SDK_NAME]: `file:${sdk.file}` }, optionalDependencies: { '@types/node': '^24' } };
}

function packageJson(module: NewModule, sdk: SdkPackage): string {
  const content = {
    name: module.name,
    version: FIRST_VERSION,
    private: true,
    type: 'module',
    main: 'src/main.ts',
    engines: { node: '>=22.18' },
    scripts: {
      build: 'armature module build',
      watch: 'armature module watch',
      test: 'node --test',
      upload: 'armature module upload',
    },
    ...dependencies(sdk),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Says which SDK it is: npm installs no other, and asks no registry for its name. */
function packageLock({ name }: NewModule, sdk: SdkPackage): string {
  const { file, version, integrity } = sdk;
  const packages = {
    '': { name, version: FIRST_VERSION, ...dependencies(sdk) },
    [`node_modules/${SDK_NAME}`]: { version, resolved: `file:${file}`, integrity, dev: true },
  };
  const content = { name, version: FIRST_VERSION, lockfileVersion: 3, requires: true, packages };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfigJson = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      types: ['node'],
    },
    include: ['src', 'test'],
  },
  null,
  2,
)}\n`;

function readme(module: NewModule, { example }: ApiTemplate): string {
  return `# ${module.moduleId}

What this module is for.

## Model \`${module.model}\`

API \`${module.api}\`. Its attributes are in \`src/${module.modelName}.ts\`.

## Run it on a machine

\`armature module build\` writes \`dist/${ENTRYPOINT}\`, one file with everything it needs, and packs it as
\`${module.name}.tar.gz\`. Add to the machine's configuration:

\`\`\`json
${exampleConfig(module, `/path/to/${module.name}/dist/${ENTRYPOINT}`, example)}
\`\`\`

\`armature module watch\` builds at each save and restarts it there. \`npm test\` runs the tests. The command \`armature\` is
that of the program which made this folder: call it by its path, or link it into a folder of your PATH. The SDK is the
\`.tgz\` here, so keep it with the sources; there is none in a registry.

## Publish it

\`\`\`
armature module upload --version 0.0.1 --hub https://HUB --key-id ID --key KEY
\`\`\`
`;
}

/** `my-sensor` as `mySensor`. */
function variableOf(name: string): string {
  const joined = name.replace(/[-_]+(.)?/g, (_match, letter: string | undefined) => (letter ?? '').toUpperCase());
  // Its last part keeps it from being a word of the language, and its first from beginning with a digit.
  return /^[a-z]/i.test(joined) ? `${joined.charAt(0).toLowerCase()}${joined.slice(1)}Model` : `model${joined}`;
}

/** An object as TypeScript writes it. */
function source(value: object): string {
  return JSON.stringify(value)
    .replace(/"(\w+)":/g, ' $1: ')
    .replaceAll('"', "'")
    .replace(/}$/, ' }');
}
