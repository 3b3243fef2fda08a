import MarkdownIt, { type Token } from 'markdown-it';
import { h, type VNode } from 'vue';

/*
 * Turns published Markdown into elements of the page. Only the elements and attributes named here can come out, because
 * no HTML is made in between.
 */

const reader = new MarkdownIt({ html: false, linkify: true });

/** Elements that the page shows as Markdown makes them. */
const plainTags = new Set([
  'p',
  'ul',
  'ol',
  'li',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'strong',
  'em',
  's',
  'code',
  'pre',
]);
/** The page has headings of its own above those of the text. */
const headingShift = 2;
const lowestHeading = 6;

/** More columns than anybody reads: every line of such a table, even an empty one, would get a cell for each. */
const WIDE_TABLE = /(?:\|[^|\n]*){40}/;

type Child = VNode | string;

/** The elements of a Markdown text. Links open outside the page; pictures are replaced by their descriptions. */
export function readmeNodes(markdown: string): readonly Child[] {
  if (WIDE_TABLE.test(markdown)) return [h('pre', { tabindex: 0 }, h('code', { class: 'mono' }, markdown))];
  return nest(reader.parse(markdown, {}));
}

/** Turns the flat list of opening and closing tokens into nested elements. */
function nest(tokens: readonly Token[]): readonly Child[] {
  const root: Child[] = [];
  const open: { readonly token: Token; readonly children: Child[] }[] = [];
  const put = (child: Child): void => void (open.at(-1)?.children ?? root).push(child);
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, children: [] });
    } else if (token.nesting === -1) {
      const closed = open.pop();
      // The paragraphs of a tight list are hidden: only their contents are shown.
      if (closed?.token.hidden === true) closed.children.forEach(put);
      else if (closed !== undefined) put(element(closed.token, closed.children));
    } else {
      single(token).forEach(put);
    }
  }
  return root;
}

function single(token: Token): readonly Child[] {
  switch (token.type) {
    case 'inline':
      return nest(token.children ?? []);
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [h('br')];
    case 'hr':
      return [h('hr')];
    case 'code_inline':
      return [h('code', { class: 'mono' }, token.content)];
    case 'fence':
    case 'code_block':
      // Long lines scroll, so the keyboard must reach them.
      return [h('pre', { tabindex: 0 }, h('code', { class: 'mono' }, token.content))];
    case 'image':
      return [h('span', { class: 'picture' }, token.content)];
    default:
      return [token.content];
  }
}

function element(token: Token, children: Child[]): VNode {
  const { tag } = token;
  const heading = /^h([1-6])$/.exec(tag)?.[1];
  if (heading !== undefined) {
    return h(`h${Math.min(Number(heading) + headingShift, lowestHeading)}`, children);
  }
  if (tag === 'a') {
    const href = String(token.attrGet('href') ?? '');
    // Only links that open in a new tab: a relative address leads nowhere here.
    if (!/^https:\/\//i.test(href)) return h('span', children);
    return h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, children);
  }
  if (tag === 'ol') {
    const start = Number(token.attrGet('start') ?? 1);
    return h('ol', Number.isInteger(start) && start !== 1 ? { start } : {}, children);
  }
  if (tag === 'table') return h('div', { class: 'scroller', tabindex: 0 }, h('table', children));
  return h(plainTags.has(tag) ? tag : 'div', children);
}
