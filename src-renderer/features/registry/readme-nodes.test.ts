import { isVNode } from 'vue';
import { describe, expect, it } from 'vitest';
import { readmeNodes } from './readme-nodes.ts';

/** The nodes of a Markdown text in a short notation. */
function shown(markdown: string): string {
  return readmeNodes(markdown).map(written).join('');
}

const nameOf = (type: unknown): string => (typeof type === 'string' ? type : 'component');

function written(child: unknown): string {
  if (!isVNode(child)) return String(child);
  const { type, props, children } = child;
  const attributes = Object.entries(props ?? {}).map(([key, value]) => ` ${key}=${String(value)}`);
  const inner = Array.isArray(children) ? children.map(written).join('') : written(children ?? '');
  return `<${nameOf(type)}${attributes.join('')}>${inner}</${nameOf(type)}>`;
}

/** Names of all elements; text has none. */
function elementsOf(children: readonly unknown[]): string[] {
  return children.flatMap((child) => {
    if (!isVNode(child)) return [];
    return [nameOf(child.type), ...(Array.isArray(child.children) ? elementsOf(child.children) : [])];
  });
}

describe('a published text', () => {
  it('is not made into a table with more columns than anybody reads', () => {
    const wide = `${'|a'.repeat(60)}|\n${'|-'.repeat(60)}|\n${'|\n'.repeat(90)}`;
    expect(elementsOf(readmeNodes(wide))).toEqual(['pre', 'code']);
    expect(elementsOf(readmeNodes('|a|b|\n|-|-|\n|c|d|\n'))).toContain('table');
  });

  it('has headings below those of the page, lists, tables and code', () => {
    expect(shown('# Motors\n\n## Wiring')).toBe('<h3>Motors</h3><h4>Wiring</h4>');
    expect(shown('- **one**\n- `two`')).toBe(
      '<ul><li><strong>one</strong></li><li><code class=mono>two</code></li></ul>',
    );
    expect(shown('| a |\n|--:|\n| 1 |')).toBe(
      '<div class=scroller tabindex=0><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></div>',
    );
    expect(shown('```json\n{}\n```')).toBe('<pre tabindex=0><code class=mono>{}\n</code></pre>');
    expect(shown('3. three')).toBe('<ol start=3><li>three</li></ol>');
  });

  it('has only links of the web, and they open outside the page', () => {
    expect(shown('[docs](https://acme.example/x)')).toBe(
      '<p><a href=https://acme.example/x target=_blank rel=noopener noreferrer>docs</a></p>',
    );
    for (const href of ['javascript:alert(1)', 'data:text/html,x', '#wiring', 'docs/wiring.md', 'file:///etc/passwd']) {
      expect(shown(`[docs](${href})`)).not.toContain('<a');
    }
  });

  it('shows HTML as text, and no pictures', () => {
    const text = '<img src=x onerror=alert(1)> <b style="color:red">b</b>\n\n<script>alert(1)</script>';
    expect(elementsOf(readmeNodes(text))).toEqual(['p', 'p']);
    expect(shown(text)).toContain('<script>alert(1)</script>');
    expect(shown('![the board](https://acme.example/board.png)')).toBe('<p><span class=picture>the board</span></p>');
  });
});
