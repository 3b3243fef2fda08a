import MarkdownIt, { type Token } from 'markdown-it';
import { h, type VNode } from 'vue';

/*
 * Markdown that somebody published, as elements of the page. Each element and each attribute is one that stands here:
 * there is no HTML in between that could say anything else.
 */

const reader = new MarkdownIt({ html: false, linkify: true });

/** Elements that Markdown makes and the page shows as they are. */
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

/** More columns than anybody reads: each line of such a table has a cell for every one, even an empty line. */
const WIDE_TABLE = /(?:\|[^|\n]*){40}/;

type Child = VNode | string;

/** The elements of a Markdown text. Links lead outside; pictures are told by their words. */
export function readmeNodes(markdown: string): readonly Child[] {
  if (WIDE_TABLE.test(markdown)) return [h('pre', { tabindex: 0 }, h('code', { class: 'mono' }, markdown))];
  return nest(reader.parse(markdown, {}));
}

/** Tokens come in a row, opening and closing; elements are in each other. */
function nest(tokens: readonly Token[]): readonly Child[] {
  const root: Child[] = [];
  const open: { readonly token: Token; readonly children: Child[] }[] = [];
  const put = (child: Child): void => void (open.at(-1)?.children ?? root).push(child);
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, children: [] });
    } else if (token.nesting === -1) {
      const closed = open.pop();
      // A paragraph of a tight list is hidden: only what is in it is shown.
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
      // Longer lines are scrolled: the keyboard has to get there.
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
    // Only what opens in a browser of its own: an address within the text leads nowhere here.
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
