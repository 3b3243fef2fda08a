import { exampleConfig, metaJson, type NewModule, type TemplateFile } from './new-module.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** What a class in Python is called, is made from, and has to have. */
interface PythonTemplate {
  readonly base: string;
  /** Where the public Python SDK has it. */
  readonly from: string;
  /** Methods of the class, indented. */
  readonly methods: string;
  /** What its test does with `instance`. */
  readonly test: string;
}

const doCommand = `    async def do_command(self, command, *, timeout=None, **kwargs):
        return {"greeting": self.attributes.get("greeting", "hello"), "command": dict(command)}
`;

const templates: Readonly<Record<string, PythonTemplate>> = {
  'core:component:sensor': {
    base: 'Sensor',
    from: 'viam.components.sensor',
    methods: `    async def get_readings(self, *, extra=None, timeout=None, **kwargs):
        return {"celsius": 21.0 + float(self.attributes.get("offset", 0))}
`,
    test: `self.assertEqual(await instance.get_readings(), {"celsius": 21.5})`,
  },
  'core:component:generic': {
    base: 'Generic',
    from: 'viam.components.generic',
    methods: doCommand,
    test: `self.assertEqual((await instance.do_command({"a": 1}))["command"], {"a": 1})`,
  },
  'core:service:generic': {
    base: 'Generic',
    from: 'viam.services.generic',
    methods: doCommand,
    test: `self.assertEqual((await instance.do_command({"a": 1}))["command"], {"a": 1})`,
  },
  'core:component:motor': {
    base: 'Motor',
    from: 'viam.components.motor',
    methods: `    power = 0.0

    async def set_power(self, power, *, extra=None, timeout=None, **kwargs):
        self.power = power

    async def set_rpm(self, rpm, *, extra=None, timeout=None, **kwargs):
        self.power = max(-1.0, min(1.0, rpm / float(self.attributes.get("max_rpm", 100))))

    async def go_for(self, rpm, revolutions, *, extra=None, timeout=None, **kwargs):
        raise NotImplementedError()

    async def go_to(self, rpm, position_revolutions, *, extra=None, timeout=None, **kwargs):
        raise NotImplementedError()

    async def reset_zero_position(self, offset, *, extra=None, timeout=None, **kwargs):
        raise NotImplementedError()

    async def get_position(self, *, extra=None, timeout=None, **kwargs):
        raise NotImplementedError()

    async def get_properties(self, *, extra=None, timeout=None, **kwargs):
        return Motor.Properties(position_reporting=False)

    async def is_powered(self, *, extra=None, timeout=None, **kwargs):
        return self.power != 0, self.power

    async def is_moving(self):
        return self.power != 0

    async def stop(self, *, extra=None, timeout=None, **kwargs):
        self.power = 0.0
`,
    test: `await instance.set_rpm(60)
        self.assertTrue(await instance.is_moving())
        await instance.stop()
        self.assertFalse(await instance.is_moving())`,
  },
};

const examples: Readonly<Record<string, object>> = {
  'core:component:sensor': { offset: 0.5 },
  'core:component:motor': { max_rpm: 120 },
};

/** Files of a new module in Python, on the public SDK of the field. @throws {ArmatureError} for an API without a template */
export function pythonFiles(module: NewModule): readonly TemplateFile[] {
  const template = templates[module.api];
  if (template === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `--api is ${module.api}; for Python there are ${Object.keys(templates).join(', ')}.`,
    );
  }
  const example = examples[module.api] ?? { greeting: 'hello' };
  return [
    {
      name: 'meta.json',
      text: metaJson(module, {
        entrypoint: 'run.sh',
        first_run: 'setup.sh',
        build: { build: './build.sh', path: 'dist' },
      }),
    },
    { name: 'requirements.txt', text: 'viam-sdk\n' },
    { name: '.gitignore', text: '.venv/\ndist/\n__pycache__/\n*.tar.gz\n' },
    { name: 'setup.sh', text: setupSh, isExecutable: true },
    { name: 'run.sh', text: runSh, isExecutable: true },
    { name: 'build.sh', text: buildSh, isExecutable: true },
    { name: 'README.md', text: readme(module, example) },
    { name: 'src/main.py', text: mainPy(module, template) },
    { name: 'test/test_model.py', text: testPy(module, template, example) },
  ];
}

const setupSh = `#!/bin/sh
# Installs what the module needs into a folder beside it: once for each version.
set -e
cd "$(dirname "$0")"
test -x .venv/bin/python || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --requirement requirements.txt
`;

const runSh = `#!/bin/sh
# What the machine starts, with the path of a socket. Becomes the module, so that signals reach it.
cd "$(dirname "$0")"
test -x .venv/bin/python || ./setup.sh
exec .venv/bin/python src/main.py "$@"
`;

const buildSh = `#!/bin/sh
# Puts what belongs into the package into dist; "armature module build" runs it and packs the folder.
set -e
cd "$(dirname "$0")"
rm -rf dist
mkdir -p dist/src
cp meta.json README.md requirements.txt run.sh setup.sh dist/
cp src/*.py dist/src/
`;

function className(module: NewModule): string {
  const joined = module.modelName.replace(/(?:^|[-_]+)(.)/g, (_match, letter: string) => letter.toUpperCase());
  return `My${joined}`;
}

function mainPy(module: NewModule, { base, from, methods }: PythonTemplate): string {
  return `import asyncio

from ${from} import ${base}
from viam.module.module import Module
from viam.resource.easy_resource import EasyResource
from viam.utils import struct_to_dict


class ${className(module)}(${base}, EasyResource):
    """The model ${module.model}."""

    MODEL = "${module.model}"

    @classmethod
    def new(cls, config, dependencies):
        instance = cls(config.name)
        instance.reconfigure(config, dependencies)
        return instance

    @classmethod
    def validate_config(cls, config):
        """Raises what is wrong with the attributes; gives the names that the model depends on: required, optional."""
        return [], []

    def reconfigure(self, config, dependencies):
        self.attributes = struct_to_dict(config.attributes)

${methods}

if __name__ == "__main__":
    asyncio.run(Module.run_from_registry())
`;
}

function testPy(module: NewModule, { test }: PythonTemplate, example: object): string {
  const attributes = JSON.stringify(example);
  return `import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "src"))

from main import ${className(module)}  # noqa: E402


class ModelTest(unittest.IsolatedAsyncioTestCase):
    async def test_model(self):
        instance = ${className(module)}("test")
        instance.attributes = ${attributes}
        ${test}


if __name__ == "__main__":
    unittest.main()
`;
}

function readme(module: NewModule, example: object): string {
  return `# ${module.moduleId}

What this module is for.

## Model \`${module.model}\`

API \`${module.api}\`, in \`src/main.py\`, on the public Python SDK (\`viam-sdk\`, installed by \`setup.sh\`).

## Run it on a machine

Add to the machine's configuration:

\`\`\`json
${exampleConfig(module, `/path/to/${module.name}/run.sh`, example)}
\`\`\`

\`armature module watch\` restarts it there at each save. \`./setup.sh\`, once, and \`.venv/bin/python -m unittest discover test\` run the
tests.

## Publish it

\`\`\`
armature module build
armature module upload --version 0.0.1 --hub https://HUB --key-id ID --key KEY
\`\`\`
`;
}
