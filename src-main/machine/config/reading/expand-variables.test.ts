import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonText } from '../../../../proto/config/text/json-text.ts';
import { board, motor, parse, partsPackage, sensor } from '../config.fixture.ts';
import { expandVariables } from './expand-variables.ts';

const parseFile = (document: unknown) => parse(document, { isFile: true });

function readingsOf(text: string): unknown {
  const { config, problems } = parseFile({
    packages: [partsPackage],
    components: [sensor('s', { readings: { where: text } })],
  });
  expect(problems).toEqual([]);
  return config?.resources[0]?.attributes['readings'];
}

describe('variables in a file', () => {
  it.each([
    ['${HOME}', '/home/one'],
    ['a ${BOARD}-${HOME} b', 'a bench-/home/one b'],
    ['${EMPTY}', ''],
    ['${EMPTY-other}', ''],
    ['${EMPTY:-other}', 'other'],
    ['${NONE-}', ''],
    ['${NONE-a:-b}', 'a:-b'],
    ['${NONE:-5 % of $x}', '5 % of $x'],
    ['$HOME $ {HOME}', '$HOME $ {HOME}'],
    ['${environment.HOME}/x', '/home/one/x'],
    ['${packages.parts}', '/pkg/parts'],
  ])('make of %s %s', (text, became) => {
    expect(readingsOf(text)).toEqual({ where: became });
  });

  it('stand in names, addresses and modules as well, but never in keys', () => {
    const { config, problems } = parseFile({
      network: { bind_address: '${NONE:-localhost:9000}' },
      components: [board('${BOARD}'), sensor('s', { readings: { '${HOME}': 1 } })],
      modules: [
        {
          name: 'm',
          type: 'local',
          module_id: 'a:b',
          version: '1.0.0',
          executable_path: '${HOME}/run',
          env: { X: '${BOARD}' },
        },
      ],
    });
    expect(problems).toEqual([]);
    expect(config?.network.bindAddress).toBe('localhost:9000');
    expect(config?.resources.map(({ name }) => name)).toEqual(['bench', 's']);
    expect(config?.resources[1]?.attributes).toEqual({ readings: { '${HOME}': 1 } });
    expect(config?.modules[0]).toMatchObject({ executablePath: '/home/one/run', env: { X: 'bench' } });
  });

  it('without a value are a problem of their entry alone, at their place, and stay as written', () => {
    const text =
      '{"components": [\n{"name": "a", "type": "sensor", "model": "fake", "attributes": {"readings": {"x": "${BORD}"}}},\n{"name": "b", "type": "sensor", "model": "fake"}]}';
    const { config, problems } = parseFile(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      code: 'placeholder.unset',
      severity: 'error',
      line: 2,
      pointer: '/components/0/attributes/readings/x',
      nearest: 'BOARD',
    });
    expect(config?.resources.map((one) => one.problems.length)).toEqual([1, 0]);
    expect(config?.resources[0]?.attributes).toEqual({ readings: { x: '${BORD}' } });
  });

  it('without a value in a block that must be right keep the configuration from being applied', () => {
    expect(parseFile({ network: { fqdn: '${NONE}' } }).config).toBeUndefined();
  });

  it('are never shown by what they became', () => {
    const { problems } = parseFile({
      network: { bind_address: '${HOME}' },
      components: [board(), motor('left', { max_rpm: '${HOME}' }), sensor('${HOME}')],
    });
    expect(problems.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(problems)).not.toContain('/home/one');
  });

  it('leave the text as the user wrote it, and texts that are no file alone', () => {
    const document = { components: [sensor('s', { readings: { x: '${HOME}' } })] };
    expect(parseFile(document).text).toContain('${HOME}');
    expect(parse(document).config?.resources[0]?.attributes).toEqual({ readings: { x: '${HOME}' } });
  });

  it('change nothing where there are none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { root } = readJsonText(JSON.stringify(value));
        fc.pre(root !== undefined && !JSON.stringify(value).includes('${'));
        const expanded = expandVariables(root, {});
        expect(expanded.root).toBe(root);
        expect(expanded.texts).toEqual([]);
      }),
    );
  });
});
