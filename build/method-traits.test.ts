import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { splitTraits, traitsModule } from './method-traits.mjs';

const buf = path.join(path.dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
const proto = path.join(import.meta.dirname, '..', 'proto');

/** The image that buf builds of a service `acme.test.v1.Test` with these lines, together with our own options. */
function imageOf(lines: string): Uint8Array {
  const folder = mkdtempSync(path.join(tmpdir(), 'method-traits-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['core/method/v1/traits.proto', 'core/common/v1/common.proto']) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    cpSync(path.join(proto, file), path.join(folder, file));
  }
  const imports = ['core/common/v1/common.proto', 'core/method/v1/traits.proto'].map((file) => `import "${file}";\n`);
  writeFileSync(
    path.join(folder, 'test.proto'),
    `syntax = "proto3";\npackage acme.test.v1;\n${imports.join('')}message Empty {}\nservice Test {\n${lines}\n}\n`,
  );
  const image = path.join(folder, 'image.binpb');
  execFileSync(process.execPath, [buf, 'build', '-o', image], { cwd: folder });
  return readFileSync(image);
}

const unary = (name: string, options = ''): string => `rpc ${name}(Empty) returns (Empty) {${options}}`;

describe('the traits of methods', () => {
  it('are those of the service, but for what the method sets itself, with the public option for what moves', () => {
    const { traits } = splitTraits(
      imageOf(
        [
          'option (core.method.v1.usual) = {needs: "machine.operate", without_proof: WITHOUT_PROOF_ON_THIS_COMPUTER};',
          unary('Look'),
          unary('Open', 'option (core.method.v1.traits) = {without_proof: WITHOUT_PROOF_NEVER, untracked: true};'),
          unary('Move', 'option (core.common.v1.safety_heartbeat_monitored) = true;'),
          unary('Rest', 'option (core.common.v1.safety_heartbeat_monitored) = false;'),
        ].join('\n'),
      ),
    );
    const usual = { needs: 'machine.operate', withoutProof: 'on-this-computer' };
    expect(traits['acme.test.v1.Test']).toEqual({
      Look: usual,
      Open: { needs: 'machine.operate', withoutProof: 'never', untracked: true },
      Move: { ...usual, moves: true },
      Rest: usual,
    });
    expect(traitsModule(traits)).toContain(`Look: {"needs":"machine.operate","withoutProof":"on-this-computer"},`);
  });

  it('are not in the descriptors that are left, which keep all else', () => {
    const said = 'option (core.method.v1.traits) = {needs: "anyone"};';
    const { image } = splitTraits(
      imageOf([unary('Look', said), unary('Old', `${said} option deprecated = true;`)].join('\n')),
    );
    const { file } = fromBinary(FileDescriptorSetSchema, image);
    expect(file.map(({ name }) => name)).not.toContain('core/method/v1/traits.proto');
    const test = file.find(({ name }) => name === 'test.proto');
    expect(test?.dependency).toEqual(['core/common/v1/common.proto']);
    const [look, old] = test?.service[0]?.method ?? [];
    expect(look?.options).toBeUndefined();
    expect(old?.options).toMatchObject({ deprecated: true });
    expect(old?.options?.$unknown).toBeUndefined();
  });

  it('fail, naming each, where a method does not say what it has to', () => {
    const lines = [
      unary('Look'),
      'rpc Feed(stream Empty) returns (Empty) { option (core.method.v1.traits) = {needs: "anyone"}; }',
    ];
    expect(() => splitTraits(imageOf(lines.join('\n')))).toThrow(
      'acme.test.v1.Test/Look does not say what it needs; acme.test.v1.Test/Feed has no duration: ' +
        'see proto/core/method/v1/traits.proto',
    );
  });
});
