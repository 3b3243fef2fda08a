import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const forUsers = tracked.filter((file) => file === 'README.md' || file.startsWith('docs/'));

/** Ten minutes at 220 words a minute. */
const LONGEST_PAGE = 2_200;

/** The anchor that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Commands in code blocks without a language, without their comments. */
function commandsOf(text: string): readonly string[] {
  let block: string | undefined;
  // A long command continues on the next line.
  return text
    .replace(/ \\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const fence = /^\s*```(\w*)/.exec(line);
      if (fence !== null) {
        block = block === undefined ? fence[1] : undefined;
        return [];
      }
      const command = line.replace(/\s+#.*$/, '').trim();
      return block === '' && command !== '' ? [command] : [];
    });
}

/** Which file runs a command, and a text in it that shows it. */
const run: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'npm start': ['e2e/integration/start-script.test.ts', "'build/start.mjs'"],
  'npm test': ['.ci/run', 'npm test'],
  './armature server -config FILE': ['e2e/harness/server-process.ts', "'-config', seenConfig"],
  './armature server -config machine.json -simulate-hardware': [
    'e2e/integration/printed-wiring.test.ts',
    'startServer({ config, args: options })',
  ],
  './armature config check FILE': ['e2e/integration/command-line.test.ts', "['config', 'check', "],
  './armature config plan OLD NEW': ['e2e/integration/command-line.test.ts', "['config', 'plan', "],
  './armature doctor': ['e2e/integration/doctor.test.ts', "['doctor'"],
  './armature diagnostics show': ['e2e/integration/diagnostics.test.ts', "['diagnostics', 'show', "],
  './armature diagnostics export --csv FILE': [
    'e2e/integration/diagnostics.test.ts',
    "['diagnostics', 'export', '--csv', ",
  ],
  './armature diagnostics bundle': ['e2e/integration/support-bundle.test.ts', "['diagnostics', 'bundle', "],
  './armature server -network-check -config FILE': ['e2e/integration/network-check.test.ts', "'-network-check'"],
  './armature model upload best.onnx --name parts --version 1.0.0 --labels labels.txt --type object_detection': [
    'src-main/app/model-commands/model-command.int.test.ts',
    "'upload'",
  ],
  './armature training upload my-script --name my-script --version 1.0.0': [
    'src-main/app/training-commands/training-command.int.test.ts',
    "'upload'",
  ],
  './armature module create acme:weather': ['e2e/integration/module-create.test.ts', "'create'"],
  './armature module create acme:weather --language python': ['e2e/integration/module-create.test.ts', "'python'"],
  './armature module build': ['e2e/integration/module-create.test.ts', "'build'"],
  './armature module watch': ['e2e/integration/module-watch.test.ts', "'watch'"],
  './armature module upload --version 1.0.0': ['e2e/integration/module-publish.test.ts', "'upload'"],
  'export SSL_CERT_FILE=$PWD/hub-ca.pem NODE_EXTRA_CA_CERTS=$PWD/hub-ca.pem': [
    'e2e/interop/tls-by-address.test.ts',
    'SSL_CERT_FILE',
  ],
  './armature hub --data DIR --bind 0.0.0.0:8090': ['e2e/harness/hub-process.ts', "'--data'"],
  "./armature hub --files 's3://BUCKET/PREFIX?endpoint=http://HOST:9000'": [
    'e2e/integration/hub-files.test.ts',
    "'--files'",
  ],
  "./armature hub --database postgres://armature@DB/armature --files 's3://BUCKET/PREFIX?endpoint=http://HOST:9000' --data DIR --bind 0.0.0.0:8090 --cluster https://10.0.0.1:8090 --tls-san hub.example":
    ['e2e/harness/hub-pair.ts', "'--cluster', address"],
  './armature hub key create': ['e2e/integration/hub.test.ts', "'key', 'create'"],
  './armature hub smtp set': ['src-main/app/hub/smtp-command.int.test.ts', 'set '],
  './armature hub backup FILE': ['e2e/integration/hub.test.ts', "'backup'"],
  './armature hub restore FILE': ['e2e/integration/hub.test.ts', "'restore'"],
};

describe('the documents', () => {
  it('have links that lead somewhere', () => {
    const broken = tracked.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        if (/^[a-z]+:/.test(link)) return [];
        const [target = '', anchor] = link.split('#');
        const found = target === '' ? file : path.join(path.dirname(file), target);
        if (!existsSync(path.join(root, found))) return [`${file}: ${link}`];
        if (anchor === undefined) return [];
        const headings = [...read(found).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
        return headings.includes(anchor) ? [] : [`${file}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('name files that are there', () => {
    const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\n')
      .map((file) => `/${file}`);
    const missing = tracked.flatMap((file) =>
      [...read(file).matchAll(/`(\w[\w.-]*(?:\/[\w.-]+)+\.(?:ts|mjs|js|vue|cc|h|proto|css))`/g)].flatMap(
        ([, name = '']) =>
          all.some((one) => one.endsWith(`/${name}`)) || name.startsWith('dist/') ? [] : [`${file}: ${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are read in ten minutes each, README.md and ARCHITECTURE.md in less', () => {
    const words = (file: string): number => read(file).split(/\s+/).length;
    expect(forUsers.filter((file) => words(file) > LONGEST_PAGE)).toEqual([]);
    expect(read('README.md').split('\n').length).toBeLessThan(80);
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThan(200);
  });

  it('have commands that a test runs, each', () => {
    const commands = [...new Set(forUsers.flatMap((file) => commandsOf(read(file))))];
    expect(commands.filter((command) => !Object.hasOwn(run, command))).toEqual([]);
    expect(Object.keys(run).filter((command) => !commands.includes(command))).toEqual([]);
    const unproven = Object.entries(run).filter(([, [file, words]]) => !read(file).includes(words));
    expect(unproven).toEqual([]);
  });
});
